import pMap from 'p-map';
import * as scans from '#lib/db/queries/scans.ts';
import { AppError } from '#lib/errors.ts';
import { traced } from '#lib/tracing.ts';
import type { Services } from '../context.ts';
import { notifyNewHigh } from '../notifications/notify.ts';
import { type Reading, readForScan } from './read.ts';
import { createStore, type StoreScan } from './store.ts';

const MAX_CONCURRENT = 4;
const MAX_ROUNDS = 5;

export interface PushResult {
  readonly scans: number;
  readonly failed: number;
  readonly reason?: 'not-monitored' | 'unknown-repository';
}

export type Later = (task: () => Promise<void>) => void;

/**
 * Scans a repository for everyone who monitors it: read once, scanned once per distinct rule selection, stored for
 * each row. A failing row does not affect the others.
 */
export async function scanPushed(services: Services, scmId: string, later: Later): Promise<PushResult> {
  const db = services.adminDb();
  const targets = await scans.listPushTargets(db, scmId);
  if (targets === null) return { scans: 0, failed: 0, reason: 'unknown-repository' };
  if (targets.length === 0) return { scans: 0, failed: 0, reason: 'not-monitored' };
  services.codeHostApp();
  let failed = 0;
  let left = targets;
  for (let round = 1; left.length > 0; round += 1) {
    if (round > MAX_ROUNDS) {
      failed += left.length;
      services.log.warn('push scan overtaken every time', { rows: left.length });
      break;
    }
    const now = left;
    const { failures, overtaken } = await traced('scan of a push', { 'chainbreak.rows': now.length }, () =>
      scanOnce(services, now, later),
    );
    failed += failures;
    left = overtaken.length === 0 ? [] : await again(db, scmId, overtaken);
  }
  return { scans: targets.length, failed };
}

async function again(
  db: ReturnType<Services['adminDb']>,
  scmId: string,
  overtaken: readonly scans.ScanTarget[],
): Promise<readonly scans.ScanTarget[]> {
  const now = (await scans.listPushTargets(db, scmId)) ?? [];
  return now.filter(({ repo_id }) => overtaken.some((target) => target.repo_id === repo_id));
}

async function scanOnce(
  services: Services,
  targets: readonly scans.ScanTarget[],
  later: Later,
): Promise<{ failures: number; overtaken: readonly scans.ScanTarget[] }> {
  let failures = 0;
  const overtaken: scans.ScanTarget[] = [];
  for (const installation of new Set(targets.map(({ installation_id }) => installation_id))) {
    const group = targets.filter(({ installation_id }) => installation_id === installation);
    const [first, ...others] = group;
    if (first === undefined) continue;
    try {
      const reading = await readForScan(services, [first, ...others], 'all');
      const store = createStore(services, reading, { trigger: 'push', ruleset: 'all' });
      await pMap(group, (target) => storeOne(target, reading, store), { concurrency: MAX_CONCURRENT });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failures += group.length;
      services.log.warn('push scan failed', { error, rows: group.length });
    }
  }
  return { failures, overtaken };

  async function storeOne(target: scans.ScanTarget, reading: Reading, store: StoreScan): Promise<void> {
    try {
      const stored = await store(target);
      if (stored === null) overtaken.push(target);
      else later(() => tell(services, target, reading, stored));
    } catch (error) {
      failures += 1;
      services.log.warn('push scan not stored', { error, repo_id: target.repo_id });
    }
  }
}

async function tell(
  services: Services,
  { user_id: userId, org_id: orgId }: scans.ScanTarget,
  { read: { head } }: Reading,
  scan: scans.StoredScan,
): Promise<void> {
  const { fullName: repository, htmlUrl, defaultBranch: branch, commit } = head;
  if (branch === null || commit === null) return;
  await notifyNewHigh(services, { userId, orgId, repository, htmlUrl, branch, commit, scan });
}
