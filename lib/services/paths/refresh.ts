import { setImmediate as nextTurn } from 'node:timers/promises';
import pMap from 'p-map';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import type { Services } from '../context.ts';
import { computePaths, PATH_RULES } from './compute.ts';

const BATCH = 50;
const MAX_CONCURRENT = 2;

const running = new Map<string, Promise<void>>();

export function pathEngine({ env }: Pick<Services, 'env'>): attackPaths.PathEngine {
  return { engine: env.engine, rules: PATH_RULES };
}

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
  await Promise.allSettled(others);
}

async function refreshBatch(services: Services, repoIds: readonly string[]): Promise<void> {
  const db = services.adminDb();
  const rows: attackPaths.ComputedPaths[] = [];
  for (const inputs of await attackPaths.readInputs(db, repoIds, pathEngine(services))) {
    rows.push(computePaths(inputs));
    await nextTurn();
  }
  await attackPaths.store(db, rows);
}
