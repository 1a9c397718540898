import type { z } from 'zod';
import type { Shape } from '#lib/db/shapes/shape.ts';
import { AppError } from '#lib/errors.ts';
import type { Operation } from './operation.ts';

export interface Reply<R extends z.ZodType> {
  readonly body: Shape<R> | WrittenReply;
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OtherReply {
  readonly also: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Unchanged {
  readonly unchanged: string;
}

export class WrittenReply {
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }
}

export function writeReply<R extends z.ZodType>(
  { reply }: Pick<Operation<z.ZodType, z.ZodType, z.ZodType, R>, 'reply'>,
  body: Shape<R>,
): WrittenReply {
  const checked = reply.safeParse(body);
  if (!checked.success)
    throw new AppError('internal', 'The response does not fit its schema.', { cause: checked.error });
  return new WrittenReply(
    new TextEncoder().encode(typeof checked.data === 'string' ? checked.data : JSON.stringify(checked.data)),
  );
}

export function sendReply<R extends z.ZodType>(
  operation: Operation,
  reply: Reply<R> | OtherReply | Unchanged,
): Response {
  if ('unchanged' in reply) return new Response(null, { status: 304, headers: { etag: reply.unchanged } });
  if (!('body' in reply)) return sendOther(operation, reply);
  const { body, etag, headers = {} } = reply;
  const { mediaType = 'application/json', status = 200 } = operation;
  const written = body instanceof WrittenReply ? body : writeReply<z.ZodType>(operation, body);
  const bytes = status === 204 ? null : written.bytes;
  return new Response(bytes, {
    status,
    headers: {
      ...(bytes === null ? {} : { 'content-type': mediaType }),
      ...(etag === undefined ? {} : { etag }),
      ...headers,
    },
  });
}

function sendOther({ also }: Operation, { also: body, headers = {} }: OtherReply): Response {
  if (also === undefined) throw new AppError('internal', 'The operation has no other successful status.');
  const { bytes } = writeReply<z.ZodType>(also, body);
  return new Response(bytes, { status: also.status, headers: { 'content-type': 'application/json', ...headers } });
}
