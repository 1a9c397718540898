import type { z } from 'zod';
import type { ProblemCode } from '#lib/errors.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Access = 'public' | 'user' | 'cron' | 'webhook';

export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  A extends Access = Access,
> {
  readonly id: string;
  readonly verb: Verb;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  /** Accepts any text in the URL, as images must; what cannot be stored is replaced. */
  readonly tolerant?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly maxBodyBytes?: number;
  readonly oversized?: ProblemCode;
  readonly reply: Reply;
  readonly replyDescription: string;
  readonly status?: number;
  readonly mediaType?: string;
  readonly also?: { readonly status: number; readonly reply: z.ZodType; readonly replyDescription: string };
  readonly answersEtags?: boolean;
  readonly errors?: readonly ProblemCode[];
}

export function defineOperation<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends Access,
>(operation: Operation<P, Q, B, R, A>): Operation<P, Q, B, R, A> {
  return operation;
}
