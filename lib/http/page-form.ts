import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { isAddress, isServed } from '#lib/served-hosts.mjs';
import { requireDatabase, requirePublicToken } from '#lib/services/context.ts';
import { clientAddressOf } from './limits/client-address.ts';
import { type PublicBudget, takePublic } from './limits/public-limit.ts';
import { isStorable, readBody } from './route/body.ts';
import { methodNotAllowed, problemCodeOf, problemResponse, retryAfterOf } from './route/problem.ts';
import { answer, type Handler, type Handlers, METHOD_HEADER, METHODS, type RequestContext } from './route/respond.ts';

const MAX_FORM_BYTES = 8 * 1024;
const MAX_INPUT_LENGTH = 500;
const ALLOW = { allow: 'GET, HEAD, POST, OPTIONS' };

export function pageForm(home: string, post: (request: Request) => Promise<Response>): Handlers {
  const handlers = METHODS.map((method): [string, Handler] => [
    method,
    (request) => handle(method, request, home, post),
  ]);
  return Object.fromEntries(handlers) as Record<keyof Handlers, Handler>;
}

function handle(
  method: keyof Handlers,
  request: Request,
  home: string,
  post: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (method === 'GET' || method === 'HEAD') return answer(request, {}, async () => seeOther(home));
  if (method === 'OPTIONS' && !request.headers.has(METHOD_HEADER))
    return answer(request, {}, async () => new Response(null, { status: 204, headers: ALLOW }));
  if (method !== 'POST')
    return answer(request, {}, async ({ requestId }) => problemResponse(methodNotAllowed(), requestId, ALLOW));
  return post(request);
}

interface Expected {
  readonly field: string;
  readonly budget: PublicBudget;
  readonly rememberInput?: ((input: string) => void) | undefined;
}

export async function receiveForm(
  request: Request,
  context: RequestContext,
  { field, budget, rememberInput }: Expected,
): Promise<string> {
  const { env } = context;
  requirePublicToken(env);
  requireDatabase(env);
  const type = (request.headers.get('content-type') ?? '').toLowerCase().split(';')[0]?.trim();
  if (type !== 'application/x-www-form-urlencoded')
    throw new AppError('unsupported-media-type', 'The form must be application/x-www-form-urlencoded.');
  const body = new TextDecoder().decode(await readBody(request, MAX_FORM_BYTES));
  // A button can submit a repository of its own with the same form.
  const input = new URLSearchParams(body).getAll(field).findLast((value) => value.trim() !== '') ?? '';
  rememberInput?.(input.slice(0, MAX_INPUT_LENGTH));
  checkOrigin(request.headers, env);
  await takePublic(context, budget, clientAddressOf(request.headers, env));
  if (input.length > MAX_INPUT_LENGTH || !isStorable(input)) throw new AppError('validation-failed', 'No repository.');
  return input;
}

/** Forms on other sites must not use up a visitor's rate limit. Requests without an origin come from other clients. */
function checkOrigin(headers: Headers, env: Env): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const allowed =
    site === null
      ? origin === null || (URL.canParse(origin) && isOwn(new URL(origin).host, headers.get('host'), env))
      : site === 'same-origin' || site === 'none';
  if (!allowed) throw new AppError('forbidden', 'The form was submitted from another site.');
}

/** Compares with the configuration, since `Origin` and `Host` agree even if a foreign name resolves here. */
function isOwn(origin: string, host: string | null, { port, webHosts }: Env): boolean {
  return isServed(origin, { localPort: port }, webHosts) || (isAddress(origin) && origin === host);
}

export function problemQuery(error: unknown, field: string, input: string): string {
  const query = new URLSearchParams({ problem: problemCodeOf(error) });
  if (input !== '') query.set(field, input);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) query.set('wait', String(retryAfter));
  return query.toString();
}

export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
