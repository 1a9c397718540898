import { createHash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { AppError } from '#lib/errors.ts';
import { notConfigured } from '#lib/services/context.ts';
import { bothOf } from './access.ts';
import type { Operation } from './operation.ts';
import { type Reply, sendReply } from './reply.ts';
import type { RequestContext } from './respond.ts';
import type { Endpoint } from './route.ts';

export function cronEndpoint<R extends z.ZodType>(
  operation: Operation<z.ZodType, z.ZodType, z.ZodType, R, 'cron'>,
  {
    needs,
    handle,
  }: { needs?: (env: RequestContext['env']) => void; handle: (context: RequestContext) => Promise<Reply<R>> },
): Endpoint {
  return {
    operation,
    run: async (request, _, context) => {
      const { cronSecret, previousSecrets } = context.env;
      if (cronSecret === null) throw notConfigured('cron secret');
      needs?.(context.env);
      const given = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
      if (!bothOf(cronSecret, previousSecrets.cron).some((secret) => isSame(given, secret)))
        throw new AppError('unauthenticated', 'The request needs the cron secret.');
      return sendReply(operation, await handle(context));
    },
  };
}

/** Compares digests, so that timing reveals neither content nor length. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
