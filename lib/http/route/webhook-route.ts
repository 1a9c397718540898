import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { AppError } from '#lib/errors.ts';
import { notConfigured } from '#lib/services/context.ts';
import { bothOf } from './access.ts';
import { checkMediaType, parseJson, readBody } from './body.ts';
import type { Operation } from './operation.ts';
import { type Reply, sendReply } from './reply.ts';
import type { RequestContext } from './respond.ts';
import type { Endpoint } from './route.ts';

export const MAX_DELIVERY_BYTES = 25 * 1000 * 1000;

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly payload: unknown;
}

const HEADER_VALUE = /^[\w.:-]{1,100}$/;

export function webhookEndpoint<R extends z.ZodType>(
  operation: Operation<z.ZodType, z.ZodType, z.ZodType, R, 'webhook'>,
  {
    needs,
    handle,
  }: {
    needs?: (env: RequestContext['env']) => void;
    handle: (context: RequestContext, delivery: Delivery) => Promise<Reply<R>>;
  },
): Endpoint {
  return {
    operation,
    run: async (request, _, context) => {
      const { scmWebhookSecret: secret, previousSecrets } = context.env;
      if (secret === null) throw notConfigured('webhook secret');
      needs?.(context.env);
      checkMediaType(request.headers);
      const bytes = await readBody(request, MAX_DELIVERY_BYTES);
      const signature = request.headers.get('x-hub-signature-256') ?? '';
      if (!bothOf(secret, previousSecrets.webhook).some((each) => isSigned(bytes, signature, each))) {
        throw new AppError('bad-signature', 'The signature of the delivery is missing or does not match.');
      }
      const event = headerOf(request, 'X-GitHub-Event');
      const id = headerOf(request, 'X-GitHub-Delivery');
      return sendReply(operation, await handle(context, { id, event, payload: parseJson(bytes) }));
    },
  };
}

function isSigned(bytes: Uint8Array, signature: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function headerOf(request: Request, name: string): string {
  const value = request.headers.get(name) ?? '';
  if (HEADER_VALUE.test(value)) return value;
  const message = 'missing or malformed';
  throw new AppError('validation-failed', `The header ${name} is ${message}.`, { errors: [{ path: name, message }] });
}
