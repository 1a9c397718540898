import type { z } from 'zod';
import type { ProblemCode } from '#lib/errors.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Anybody, a user with a bearer token, the scheduler with its secret, or the code host with its signature. */
export type Access = 'public' | 'user' | 'cron' | 'webhook';

/** One endpoint as the reference describes it. The schemas validate requests and answers, and generate the documents. */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  A extends Access = Access,
> {
  readonly id: string;
  readonly verb: Verb;
  /** With `{name}` for what varies. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  /** Answers whatever stands in its address, as a picture in a page must; text that is no text is replaced. */
  readonly tolerant?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly maxBodyBytes?: number;
  /** What a longer body is answered with; `payload-too-large` when left out. */
  readonly oversized?: ProblemCode;
  readonly reply: Reply;
  readonly replyDescription: string;
  readonly status?: number;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** Beside those that every operation of its kind can answer. */
  readonly errors?: readonly ProblemCode[];
}

/** Keeps the schemas' types. */
export function defineOperation<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends Access,
>(operation: Operation<P, Q, B, R, A>): Operation<P, Q, B, R, A> {
  return operation;
}
