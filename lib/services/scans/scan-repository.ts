import * as scans from '#lib/db/queries/scans.ts';
import type { Ruleset } from '#lib/db/shapes/scans.ts';
import { AppError } from '#lib/errors.ts';
import { traced } from '#lib/tracing.ts';
import type { Services } from '../context.ts';
import { readForScan } from './read.ts';
import { createStore } from './store.ts';

const MAX_ATTEMPTS = 10;

const lastScans = new Map<string, Promise<unknown>>();

/** Scans the default branch's head and stores the whole result or nothing. Scans of one repository take turns. */
export async function scanOwnedRepository(
  services: Services,
  userId: string,
  { repoId, ruleset }: { readonly repoId: string; readonly ruleset: Ruleset },
): Promise<scans.StoredScan> {
  const scan = async () => {
    const target = await scans.getTarget(services.adminDb(), userId, repoId);
    const kind = { trigger: 'manual', ruleset } as const;
    const store = createStore(services, await readForScan(services, [target], ruleset), kind);
    return store(target);
  };
  return inTurn(repoId, () => traced('scan', { 'chainbreak.repository': repoId }, () => untilStored(scan)));
}

async function untilStored(scan: () => Promise<scans.StoredScan | null>): Promise<scans.StoredScan> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const stored = await scan();
    if (stored !== null) return stored;
  }
  const message = 'Other scans of this repository were faster every time.';
  throw new AppError('scm-unreachable', message, { retryAfterSeconds: 5 });
}

async function inTurn<T>(repoId: string, scan: () => Promise<T>): Promise<T> {
  const before = lastScans.get(repoId) ?? Promise.resolve();
  const result = before.then(scan);
  const ended = result.catch(() => {});
  lastScans.set(repoId, ended);
  try {
    return await result;
  } finally {
    if (lastScans.get(repoId) === ended) lastScans.delete(repoId);
  }
}
