import pMap from 'p-map';
import * as deliveries from '#lib/db/queries/deliveries.ts';
import { AppError } from '#lib/errors.ts';
import type { PastDelivery } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';

/** GitHub lists deliveries for three days. */
const MAX_AGE_DAYS = 3;
const MAX_AGE_MS = MAX_AGE_DAYS * 24 * 3_600_000;
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
 * Asks the code host to deliver again what it could not hand over, and what was handed over and failed: while instances,
 * database or code host were unavailable, or too many pushes waited. Bounded; the next run continues. A refusal of the code
 * host is logged.
 */
export async function redeliverLost(services: Services): Promise<void> {
  const run: Run = { deadline: performance.now() + TIME_LIMIT_MS, seen: new Set(), redelivered: 0 };
  try {
    await redeliverFrom(services, 'failed', run, (guids) => deliveries.listUnhandled(services.adminDb(), guids));
    const unfinished = new Set(await deliveries.listUnfinished(services.adminDb(), MAX_AGE_DAYS));
    for (const guid of run.seen) unfinished.delete(guid);
    if (unfinished.size > 0) {
      await redeliverFrom(services, 'all', run, async (guids) => guids.filter((guid) => unfinished.has(guid)));
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    services.log.warn('lost deliveries not redelivered', { error });
  }
  if (run.redelivered > 0) services.log.info('lost deliveries are delivered again', { deliveries: run.redelivered });
}

interface Run {
  readonly deadline: number;
  readonly seen: Set<string>;
  redelivered: number;
}

async function redeliverFrom(
  services: Services,
  which: 'all' | 'failed',
  run: Run,
  choose: (guids: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  for await (const page of services.codeHostApp().listDeliveries(which)) {
    const latest = page.filter(({ guid, event, deliveredAtMs }) => {
      const isWanted = HANDLED_EVENTS.has(event) && Date.now() - deliveredAtMs < MAX_AGE_MS && !run.seen.has(guid);
      run.seen.add(guid);
      return isWanted;
    });
    const chosen = new Set(latest.length === 0 ? [] : await choose(latest.map(({ guid }) => guid)));
    await redeliverAll(
      services,
      latest.filter(({ guid }) => chosen.has(guid)),
      run,
    );
    const isOld = page.some(({ deliveredAtMs }) => Date.now() - deliveredAtMs >= MAX_AGE_MS);
    if (isOld || run.redelivered >= MAX_REDELIVERED || performance.now() > run.deadline) return;
  }
}

async function redeliverAll(services: Services, lost: readonly PastDelivery[], run: Run): Promise<void> {
  const wanted = lost.slice(0, MAX_REDELIVERED - run.redelivered).reverse();
  await pMap(wanted, ({ id }) => services.codeHostApp().redeliver(id), { concurrency: MAX_CONCURRENT });
  run.redelivered += wanted.length;
}
