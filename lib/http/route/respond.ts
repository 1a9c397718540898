import { env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { type Log, log } from '#lib/log.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { PROBLEMS, problemCodeOf, problemResponse } from './problem.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** What the framework calls. */
export type Handler = (
  request: Request,
  context: { readonly params: Promise<Readonly<Record<string, string | string[] | undefined>>> },
) => Promise<Response>;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
export type Handlers = Readonly<Record<Method, Handler>>;

export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Set by `serve.mjs` for a method that the framework does not route, which then arrives as OPTIONS. */
export const METHOD_HEADER = 'x-chainbreak-method';

/** What every handler gets: the services, under the id of the request. */
export interface RequestContext extends Services {
  readonly requestId: string;
}

/** An API answer is data: nothing in it is ever run or framed. */
const STRICT_CSP = "default-src 'none'; frame-ancestors 'none'";

/** The answer to a failure. */
type Refuse = (error: unknown, requestId: string) => Response;

/** Turns whatever `run` does into an answer with the request's id, and writes one log line. */
export async function answer(
  request: Request,
  headers: Readonly<Record<string, string>>,
  run: (context: RequestContext) => Promise<Response>,
  refuse: Refuse = problemResponse,
): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  const started = performance.now();
  const requestLog = log.with({ request_id: requestId });
  let response: Response;
  try {
    response = await run({ ...createServices(env(), requestLog), requestId });
  } catch (error) {
    response = refuse(error, requestId);
    logFailure(requestLog, error);
  }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  response.headers.set(REQUEST_ID_HEADER, requestId);
  if (!response.headers.has('content-security-policy')) response.headers.set('content-security-policy', STRICT_CSP);
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  requestLog.info('answered', {
    method: request.headers.get(METHOD_HEADER) ?? request.method,
    path: new URL(request.url).pathname,
    status: response.status,
    ms: Math.round(performance.now() - started),
  });
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/** A bug is an error with everything known; an expected failure of ours or of a neighbour is a warning. */
export function logFailure(requestLog: Log, error: unknown): void {
  const { status } = PROBLEMS[problemCodeOf(error)];
  if (status >= 500 && !(error instanceof AppError && error.code !== 'internal')) requestLog.error('failed', { error });
  else if (status >= 500 || (error instanceof Error && error.cause !== undefined))
    requestLog.warn('refused', { error });
}
