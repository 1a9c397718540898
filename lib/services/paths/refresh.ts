import { setImmediate as nextTurn } from 'node:timers/promises';
import pMap from 'p-map';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import type { Services } from '../context.ts';
import { computePaths, PATH_RULES } from './compute.ts';

const BATCH = 50;
const MAX_CONCURRENT = 2;
export const MIN_COMPUTED = BATCH * MAX_CONCURRENT;

const OUTDATED = 200;
const TIME_LIMIT_MS = 15_000;

const running = new Map<string, Promise<void>>();

export function pathEngine({ env }: Pick<Services, 'env'>): attackPaths.PathEngine {
  return { engine: env.engine, rules: PATH_RULES };
}

/**
 * Computes and stores the paths of these repositories, which may belong to one organization only. After the deadline it
 * begins none but the first `MIN_COMPUTED`.
 */
export async function refreshPaths(
  services: Services,
  repoIds: readonly string[],
  deadline = Number.POSITIVE_INFINITY,
): Promise<void> {
  const others = new Set(repoIds.flatMap((id) => running.get(id) ?? []));
  const own = repoIds.filter((id) => !running.has(id));
  const batches = Array.from({ length: Math.ceil(own.length / BATCH) }, (_, n) =>
    own.slice(n * BATCH, (n + 1) * BATCH),
  );
  let begun = 0;
  const refreshInTime = async (batch: readonly string[]) => {
    begun += 1;
    if (begun <= MAX_CONCURRENT || performance.now() < deadline) await refreshBatch(services, batch);
  };
  const work = pMap(batches, refreshInTime, { concurrency: MAX_CONCURRENT }).then(() => {});
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
  await attackPaths.store(db, rows, pathEngine(services));
}

/**
 * Computes the paths that a new version, a scan or a triage made outdated before somebody asks for them. Bounded in time;
 * reads and the next run do the rest.
 */
export async function refreshOutdated(services: Services): Promise<void> {
  const deadline = performance.now() + TIME_LIMIT_MS;
  let repositories = 0;
  for (let before: string | undefined; performance.now() < deadline; ) {
    const outdated = await attackPaths.listOutdated(services.adminDb(), services.env.engine, OUTDATED);
    const now = JSON.stringify(outdated);
    if (outdated.length === 0 || now === before) break;
    before = now;
    for (const { repo_ids: ids } of outdated) {
      await refreshPaths(services, ids);
      repositories += ids.length;
    }
  }
  if (repositories > 0) services.log.info('attack paths were computed ahead', { repositories });
}
