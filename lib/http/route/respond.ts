import { env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { type Log, log } from '#lib/log.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { counted, describeRequest } from '#lib/tracing.ts';
import { PROBLEMS, problemCodeOf, problemResponse } from './problem.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

export type Handler = (
  request: Request,
  context: { readonly params: Promise<Readonly<Record<string, string | string[] | undefined>>> },
) => Promise<Response>;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
export type Handlers = Readonly<Record<Method, Handler>>;

export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Set by `serve.mjs` for methods that the framework does not route; they arrive as OPTIONS. */
export const METHOD_HEADER = 'x-chainbreak-method';

export interface RequestContext extends Services {
  readonly requestId: string;
}

const STRICT_CSP = "default-src 'none'; frame-ancestors 'none'";

type Refuse = (error: unknown, requestId: string) => Response;

export async function answer(
  request: Request,
  headers: Readonly<Record<string, string>>,
  run: (context: RequestContext) => Promise<Response>,
  refuse: Refuse = problemResponse,
): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  const started = performance.now();
  const requestLog = log.with({ request_id: requestId });
  describeRequest({ 'chainbreak.request_id': requestId });
  const { response, counts } = await counted(async (counts) => {
    try {
      return { response: await run({ ...createServices(env(), requestLog), requestId }), counts };
    } catch (error) {
      logFailure(requestLog, error);
      return { response: refuse(error, requestId), counts };
    }
  });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  response.headers.set(REQUEST_ID_HEADER, requestId);
  if (!response.headers.has('content-security-policy')) response.headers.set('content-security-policy', STRICT_CSP);
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  requestLog.info('answered', {
    method: request.headers.get(METHOD_HEADER) ?? request.method,
    path: new URL(request.url).pathname,
    status: response.status,
    ms: Math.round(performance.now() - started),
    ...counts,
  });
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

export function logFailure(requestLog: Log, error: unknown): void {
  const { status } = PROBLEMS[problemCodeOf(error)];
  if (status >= 500 && !(error instanceof AppError && error.code !== 'internal')) requestLog.error('failed', { error });
  else if (status >= 500 || (error instanceof Error && error.cause !== undefined))
    requestLog.warn('refused', { error });
}
