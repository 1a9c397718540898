import type { Instrumentation } from 'next';
import { env } from '#lib/env.ts';
import { REQUEST_ID_HEADER } from '#lib/http/route/request-id.ts';
import { log } from '#lib/log.ts';

/** A wrong variable stops the start, not the first request: the framework itself would only log it. */
export function register(): void {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Wrong configuration.'}\n`);
    process.exit(1);
  }
}

/** A page that fails leaves a line under the id that its visitor is shown. Routes write theirs themselves. */
export const onRequestError: Instrumentation.onRequestError = (error, { headers, method, path }) => {
  const [pathname] = path.split('?');
  log.error('page failed', { request_id: headers[REQUEST_ID_HEADER], method, path: pathname, error });
};
