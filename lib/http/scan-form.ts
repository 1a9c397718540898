import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '#lib/services/context.ts';
import type { ScanStep } from '#lib/services/public-scans/scan.ts';
import { pageForm, problemQuery, receiveForm, seeOther } from './page-form.ts';
import { problemCodeOf, retryAfterOf } from './route/problem.ts';
import { answer, type Handlers, logFailure, type RequestContext } from './route/respond.ts';

const LINES = 'application/x-ndjson';

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
  return pageForm('/', (request) => handle(request, scan));
}

function handle(request: Request, scan: Scan): Promise<Response> {
  if (request.headers.get('accept')?.includes(LINES)) {
    return answer(request, {}, async (context) => streamed(context, await receive(request, context), scan));
  }
  let input = '';
  const run = async (context: RequestContext) => {
    await receive(request, context, (text) => {
      input = text;
    });
    const { slug } = await scan(context, input, () => {});
    return seeOther(reportLocation(slug));
  };
  return answer(request, {}, run, (error) => seeOther(startLocation(input, error)));
}

function receive(request: Request, context: RequestContext, rememberInput?: (input: string) => void): Promise<string> {
  return receiveForm(request, context, { field: 'repo', budget: 'public-scan', rememberInput });
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
  return `/?${problemQuery(error, 'repo', input)}`;
}
