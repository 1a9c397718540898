import type { z } from 'zod';
import type { Env } from '#lib/env.ts';
import { AppError, type FieldError } from '#lib/errors.ts';
import { notConfigured } from '#lib/services/context.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import { type PublicBudget, takePublic } from '../limits/public-limit.ts';
import { UserLimiter } from '../limits/user-limit.ts';
import { authenticate, bothOf, type User } from './access.ts';
import { checkAnnouncedLength, checkMediaType, isStorable, MAX_BODY_BYTES, parseJson, readBody } from './body.ts';
import { ETags } from './etags.ts';
import type { Operation, Verb } from './operation.ts';
import { methodNotAllowed, problemResponse } from './problem.ts';
import { type OtherReply, type Reply, sendReply, type Unchanged } from './reply.ts';
import { answer, type Handler, type Handlers, METHOD_HEADER, METHODS, type RequestContext } from './respond.ts';

interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

export interface Endpoint {
  readonly operation: Operation;
  readonly run: (request: Request, params: Promise<RawParams>, context: RequestContext) => Promise<Response>;
}

type RawParams = Readonly<Record<string, string | string[] | undefined>>;

interface PublicBehaviour<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  readonly needs?: (env: Env) => void;
  readonly budget?: PublicBudget;
  readonly handle: (
    context: RequestContext,
    input: Input<P, Q, B>,
  ) => Promise<Reply<R> | OtherReply> | Reply<R> | OtherReply;
}

interface UserBehaviour<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  readonly needs?: (env: Env) => void;
  readonly handle: (
    context: RequestContext & { readonly user: User; readonly etags: ETags },
    input: Input<P, Q, B>,
  ) => Promise<Reply<R> | Unchanged> | Reply<R> | Unchanged;
}

const userLimiter = new UserLimiter();

export function publicEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  operation: Operation<P, Q, B, R, 'public'>,
  { needs, budget, handle }: PublicBehaviour<P, Q, B, R>,
): Endpoint {
  return {
    operation,
    run: async (request, params, context) => {
      needs?.(context.env);
      const bytes = await receive(operation, request);
      if (budget !== undefined) await takePublic(context, budget, clientAddressOf(request.headers, context.env));
      return sendReply(operation, await handle(context, await parse(operation, request, params, bytes)));
    },
  };
}

export function userEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  operation: Operation<P, Q, B, R, 'user'>,
  { needs, handle }: UserBehaviour<P, Q, B, R>,
): Endpoint {
  return {
    operation,
    run: async (request, params, context) => {
      const { jwtSecret, previousSecrets } = context.env;
      if (jwtSecret === null) throw notConfigured('sign-in');
      needs?.(context.env);
      const bytes = await receive(operation, request);
      const user = await authenticate(request.headers, bothOf(jwtSecret, previousSecrets.jwt));
      userLimiter.take(user.id);
      const etags = new ETags(request.headers);
      const input = await parse(operation, request, params, bytes);
      return sendReply(operation, await handle({ ...context, user, etags }, input));
    },
  };
}

export function route(endpoints: readonly Endpoint[]): Handlers {
  const byVerb = new Map<string, Endpoint>(endpoints.map((endpoint) => [endpoint.operation.verb, endpoint]));
  const get = byVerb.get('GET');
  if (get !== undefined) byVerb.set('HEAD', get);
  const allowed = [...byVerb.keys(), 'OPTIONS'];
  const cors = get?.operation.access === 'public';
  const handler =
    (method: Verb | 'HEAD' | 'OPTIONS'): Handler =>
    (request, { params }) => {
      const shared = cors && ['GET', 'HEAD', 'OPTIONS'].includes(method);
      return answer(request, shared ? CORS : {}, async (context) => {
        const endpoint = byVerb.get(method);
        if (endpoint !== undefined) return endpoint.run(request, params, context);
        const allow = { allow: allowed.join(', ') };
        if (method !== 'OPTIONS' || request.headers.has(METHOD_HEADER)) {
          return problemResponse(methodNotAllowed(), context.requestId, allow);
        }
        return new Response(null, { status: 204, headers: { ...allow, ...(shared ? PREFLIGHT : {}) } });
      });
    };
  return Object.fromEntries(METHODS.map((method) => [method, handler(method)])) as Record<keyof Handlers, Handler>;
}

export function nothingHere(): Handlers {
  const handler: Handler = (request) =>
    answer(request, {}, () => Promise.reject(new AppError('not-found', 'There is nothing at this URL.')));
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<keyof Handlers, Handler>;
}

/** Public GET replies are readable by any page; sending a request id needs a preflight. */
const CORS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id',
  'cross-origin-resource-policy': 'cross-origin',
};

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'x-request-id',
  'access-control-max-age': '86400',
};

async function receive(operation: Operation, request: Request): Promise<Uint8Array | undefined> {
  const { maxBodyBytes: limit = MAX_BODY_BYTES, oversized } = operation;
  if (operation.body === undefined) {
    checkAnnouncedLength(request.headers, limit);
    return undefined;
  }
  checkMediaType(request.headers);
  return readBody(request, limit, oversized);
}

async function parse<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
  request: Request,
  params: Promise<RawParams>,
  bytes: Uint8Array | undefined,
): Promise<Input<P, Q, B>> {
  const given = Object.fromEntries(new URL(request.url).searchParams);
  const read = operation.tolerant === true ? storable : <T>(values: T) => values;
  const input = {
    query: operation.query === undefined ? undefined : checkQuery(operation.query, read(given)),
    body: operation.body === undefined || bytes === undefined ? undefined : check(operation.body, parseJson(bytes)),
    params: operation.params === undefined ? undefined : checkParams(operation.params, read(await params)),
  };
  return input as Input<P, Q, B>;
}

const MAX_ERRORS = 20;

function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, MAX_ERRORS).map(
    ({ path, message }): FieldError => ({
      path: path.map(String).join('.').slice(0, 200).toWellFormed(),
      message: message.slice(0, 300).toWellFormed(),
    }),
  );
  throw new AppError('validation-failed', 'The request is not valid.', { errors });
}

function checkQuery<T extends z.ZodType>(schema: T, given: RawParams): z.output<T> {
  const errors = unstorable(given).map((path) => ({ path, message: 'text with NUL' }));
  if (errors.length > 0) throw new AppError('validation-failed', 'The query is not valid.', { errors });
  return check(schema, given);
}

function unstorable(given: RawParams): string[] {
  return Object.keys(given).filter((name) => typeof given[name] !== 'string' || !isStorable(given[name]));
}

function storable(given: RawParams): RawParams {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, String(text).toWellFormed().replaceAll('\0', '\uFFFD')]),
  );
}

function checkParams<T extends z.ZodType>(schema: T, value: RawParams): z.output<T> {
  const result = schema.safeParse(value);
  const parts = result.success ? Object.values(result.data as object) : [];
  if (result.success && parts.every((part) => typeof part !== 'string' || isStorable(part))) return result.data;
  throw new AppError('not-found', 'There is nothing at this URL.');
}
