import { setImmediate as nextTurn } from 'node:timers/promises';
import pMap from 'p-map';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import type { Services } from '../context.ts';
import { computePaths, PATH_RULES } from './compute.ts';

/** Repositories whose evidence is held at the same time: some megabytes. */
const BATCH = 50;
/** Batches at the same time: the database reads and stores one while another is computed. */
const MAX_CONCURRENT = 2;

/** What is computed at the moment in this process, by repository: who needs the same waits for it. */
const running = new Map<string, Promise<void>>();

/** Which paths these are. */
export function pathEngine({ env }: Pick<Services, 'env'>): attackPaths.PathEngine {
  return { engine: env.engine, rules: PATH_RULES };
}

/** Computes and stores the paths of repositories' last scans, under the settings and the triage of now. */
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
  // What they computed may be of before; whoever asked looks again.
  await Promise.allSettled(others);
}

async function refreshBatch(services: Services, repoIds: readonly string[]): Promise<void> {
  const db = services.adminDb();
  const rows: attackPaths.ComputedPaths[] = [];
  for (const inputs of await attackPaths.readInputs(db, repoIds, pathEngine(services))) {
    rows.push(computePaths(inputs));
    // Other requests are served between two repositories.
    await nextTurn();
  }
  await attackPaths.store(db, rows);
}
