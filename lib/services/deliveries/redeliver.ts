import pMap from 'p-map';
import * as deliveries from '#lib/db/queries/deliveries.ts';
import { AppError } from '#lib/errors.ts';
import type { FailedDelivery } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';

/** The code host keeps them no longer. */
const MAX_AGE_MS = 3 * 24 * 3_600_000;
const MAX_REDELIVERED = 500;
const MAX_CONCURRENT = 4;
const TIME_LIMIT_MS = 60_000;

const HANDLED_EVENTS: ReadonlySet<string> = new Set([
  'push',
  'pull_request',
  'check_run',
  'check_suite',
  'installation',
]);

/**
 * Asks the code host to deliver again what it could not hand over and nobody handled: while all instances or the database
 * were away, or too many pushes waited. Bounded; the next run goes on. A code host that refuses is logged.
 */
export async function redeliverFailed(services: Services): Promise<void> {
  const deadline = performance.now() + TIME_LIMIT_MS;
  const seen = new Set<string>();
  let redelivered = 0;
  try {
    for await (const page of services.codeHostApp().listFailedDeliveries()) {
      const latest = page.filter(({ guid, event, at }) => {
        const isWanted = HANDLED_EVENTS.has(event) && Date.now() - at < MAX_AGE_MS && !seen.has(guid);
        seen.add(guid);
        return isWanted;
      });
      redelivered += await redeliverUnhandled(services, latest, MAX_REDELIVERED - redelivered);
      const isOld = page.some(({ at }) => Date.now() - at >= MAX_AGE_MS);
      if (isOld || redelivered >= MAX_REDELIVERED || performance.now() > deadline) break;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    services.log.warn('failed deliveries not redelivered', { error });
  }
  if (redelivered > 0) services.log.info('failed deliveries are delivered again', { deliveries: redelivered });
}

async function redeliverUnhandled(
  services: Services,
  failed: readonly FailedDelivery[],
  most: number,
): Promise<number> {
  if (failed.length === 0) return 0;
  const guids = failed.map(({ guid }) => guid);
  const unhandled = new Set(await deliveries.listUnhandled(services.adminDb(), guids));
  // Oldest first, as they happened.
  const wanted = failed.filter(({ guid }) => unhandled.has(guid)).slice(0, most);
  await pMap(wanted.reverse(), ({ id }) => services.codeHostApp().redeliver(id), { concurrency: MAX_CONCURRENT });
  return wanted.length;
}
