import { setImmediate as nextTurn } from 'node:timers/promises';
import pMap from 'p-map';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import type { Services } from '../context.ts';
import { computePaths, PATH_RULES } from './compute.ts';

/** Repositories per batch, whose evidence takes some megabytes. */
const BATCH = 50;
/** Lets the database work on one batch while another is computed. */
const MAX_CONCURRENT = 2;

/** Computations in this process by repository; requests for the same repository await them. */
const running = new Map<string, Promise<void>>();

export function pathEngine({ env }: Pick<Services, 'env'>): attackPaths.PathEngine {
  return { engine: env.engine, rules: PATH_RULES };
}

/** Computes and stores the paths of repositories' last scans under current settings and triage. */
export async function refreshPaths(services: Services, repoIds: readonly string[]): Promise<void> {
  const others = new Set(repoIds.flatMap((id) => running.get(id) ?? []));
  const own = repoIds.filter((id) => !running.has(id));
  const batches = Array.from({ length: Math.ceil(own.length / BATCH) }, (_, n) =>
    own.slice(n * BATCH, (n + 1) * BATCH),
  );
  const work = pMap(batches, (batch) => refreshBatch(services, batch), { concurrency: MAX_CONCURRENT }).then(() => {});
  for (const id of own) running.set(id, work);
  try {
    await work;
  } finally {
    for (const id of own) running.delete(id);
  }
  // Their result may predate this request; the caller reads again.
  await Promise.allSettled(others);
}

async function refreshBatch(services: Services, repoIds: readonly string[]): Promise<void> {
  const db = services.adminDb();
  const rows: attackPaths.ComputedPaths[] = [];
  for (const inputs of await attackPaths.readInputs(db, repoIds, pathEngine(services))) {
    rows.push(computePaths(inputs));
    // Yields to other requests.
    await nextTurn();
  }
  await attackPaths.store(db, rows);
}
