import type { Instrumentation } from 'next';
import { env } from '#lib/env.ts';
import { REQUEST_ID_HEADER } from '#lib/http/route/request-id.ts';
import { log } from '#lib/log.ts';

/** Exits on a wrong variable or a database of another version at start; the framework would only log it. */
export function register(): Promise<void> {
  const started = start();
  // `serve.mjs` waits for it; the framework does not.
  Reflect.set(globalThis, Symbol.for('chainbreak.start'), started);
  return started;
}

async function start(): Promise<void> {
  try {
    env();
    if (process.env.NEXT_RUNTIME === 'nodejs') await (await import('#lib/http/start.ts')).prepareInstance();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Wrong configuration.'}\n`);
    process.exit(1);
  }
}

/** Logs failed pages under the id that the visitor sees. Routes log their own failures. */
export const onRequestError: Instrumentation.onRequestError = (error, { headers, method, path }) => {
  const [pathname] = path.split('?');
  log.error('page failed', { request_id: headers[REQUEST_ID_HEADER], method, path: pathname, error });
};
