import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { isAddress, isServed } from '#lib/served-hosts.mjs';
import type { Services } from '#lib/services/context.ts';
import { requireDatabase, requirePublicToken } from '#lib/services/context.ts';
import type { ScanStep } from '#lib/services/public-scans/scan.ts';
import { clientAddressOf } from './limits/client-address.ts';
import { takePublic } from './limits/public-limit.ts';
import { isStorable, readBody } from './route/body.ts';
import { methodNotAllowed, problemCodeOf, problemResponse, retryAfterOf } from './route/problem.ts';
import {
  answer,
  type Handler,
  type Handlers,
  logFailure,
  METHOD_HEADER,
  METHODS,
  type RequestContext,
} from './route/respond.ts';

const LINES = 'application/x-ndjson';

const MAX_FORM_BYTES = 8 * 1024;
const MAX_INPUT_LENGTH = 500;

type Scan = (services: Services, input: string, onStep: (step: ScanStep) => void) => Promise<PublicScanReport>;

export type ScanEvent =
  | ScanStep
  | { readonly step: 'done'; readonly location: string }
  | { readonly step: 'failed'; readonly code: string; readonly request_id: string; readonly retry_after?: number };

/**
 * Handles the form of the pages: the same scan and rate limit as `POST /api/public-scan`. Redirects without JavaScript;
 * streams events with it.
 */
export function scanForm(scan: Scan): Handlers {
  const handlers = METHODS.map((method): [string, Handler] => [method, (request) => handle(method, request, scan)]);
  return Object.fromEntries(handlers) as Record<keyof Handlers, Handler>;
}

function handle(method: keyof Handlers, request: Request, scan: Scan): Promise<Response> {
  if (method === 'GET' || method === 'HEAD') return answer(request, {}, async () => seeOther('/'));
  if (method === 'OPTIONS' && !request.headers.has(METHOD_HEADER))
    return answer(request, {}, async () => new Response(null, { status: 204, headers: ALLOW }));
  if (method !== 'POST')
    return answer(request, {}, async ({ requestId }) => problemResponse(methodNotAllowed(), requestId, ALLOW));
  if (request.headers.get('accept')?.includes(LINES)) {
    return answer(request, {}, async (context) => streamed(context, await receive(request, context), scan));
  }
  let input = '';
  const run = async (context: RequestContext) => {
    await receive(request, context, (text) => {
      input = text.slice(0, MAX_INPUT_LENGTH);
    });
    const { slug } = await scan(context, input, () => {});
    return seeOther(reportLocation(slug));
  };
  return answer(request, {}, run, (error) => seeOther(startLocation(input, error)));
}

const ALLOW = { allow: 'GET, HEAD, POST, OPTIONS' };

async function receive(
  request: Request,
  context: RequestContext,
  typed: (input: string) => void = () => {},
): Promise<string> {
  const { env } = context;
  requirePublicToken(env);
  requireDatabase(env);
  const type = (request.headers.get('content-type') ?? '').toLowerCase().split(';')[0]?.trim();
  if (type !== 'application/x-www-form-urlencoded')
    throw new AppError('unsupported-media-type', 'The form must be application/x-www-form-urlencoded.');
  const body = new TextDecoder().decode(await readBody(request, MAX_FORM_BYTES));
  // A button can submit a repository of its own with the same form.
  const input = new URLSearchParams(body).getAll('repo').findLast((value) => value.trim() !== '') ?? '';
  typed(input);
  checkOrigin(request.headers, env);
  await takePublic(context, 'public-scan', clientAddressOf(request.headers, env));
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

function streamed(context: RequestContext, input: string, scan: Scan): Response {
  const encoder = new TextEncoder();
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (event: ScanEvent) => {
        if (open) controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      };
      try {
        const { slug } = await scan(context, input, send);
        send({ step: 'done', location: reportLocation(slug) });
      } catch (error) {
        logFailure(context.log, error);
        const retryAfter = retryAfterOf(error);
        const more = retryAfter === undefined ? {} : { retry_after: retryAfter };
        send({ step: 'failed', code: problemCodeOf(error), request_id: context.requestId, ...more });
      }
      if (open) controller.close();
    },
    cancel() {
      open = false;
    },
  });
  return new Response(body, { headers: { 'content-type': LINES, 'x-accel-buffering': 'no' } });
}

function reportLocation(slug: string | undefined): string {
  if (slug === undefined) throw new AppError('internal', 'The report could not be stored, so it has no page.');
  return `/s/${slug}`;
}

function startLocation(input: string, error: unknown): string {
  const query = new URLSearchParams({ problem: problemCodeOf(error) });
  if (input !== '') query.set('repo', input);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) query.set('wait', String(retryAfter));
  return `/?${query.toString()}`;
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
