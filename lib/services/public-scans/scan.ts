import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import * as publicScans from '#lib/db/queries/public-scans.ts';
import type { PublicScanReport, ShownScan } from '#lib/db/shapes/public-scans.ts';
import { AppError } from '#lib/errors.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { parseRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import { version } from '../../../package.json';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import type { summarize } from './report-summary.ts';

/** The step of a scan; `waiting` for a running scan of the same repository. */
export type ScanStep =
  | { readonly step: 'waiting' | 'reading' }
  | { readonly step: 'scanning'; readonly workflow_files: number };

type OnStep = (step: ScanStep) => void;

export const CACHE_SECONDS = 60 * 60;
/** Longer than a scan takes; afterwards the claim of a dead process expires. */
const CLAIM_SECONDS = 45;
const WAIT_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** Commits that exceeded the limits, by repository: another scan would cost as much. */
const oversized = new LRUCache<string, string>({ max: 1_000, ttl: 10 * 60_000 });

const running = new Map<string, Promise<PublicScanReport>>();

/** Scans a public repository, or replays a scan of the last hour. Concurrent requests share one scan. */
export async function scanPublicRepository(
  services: Services,
  input: string,
  onStep: OnStep = () => {},
): Promise<PublicScanReport> {
  const repository = parseRepositoryName(input, services.env.scm.webUrl);
  if (repository === undefined) {
    const message = 'Neither owner/repo nor the address of a repository at the code host.';
    throw new AppError('validation-failed', message, { errors: [{ path: 'repo', message }] });
  }
  const key = keyOf(`${repository.owner}/${repository.name}`);
  const first = running.get(key);
  if (first !== undefined) {
    onStep({ step: 'waiting' });
    return { ...(await first), cached: true };
  }
  const scan = scanOnce(services, repository, key, onStep).finally(() => running.delete(key));
  running.set(key, scan);
  return scan;
}

export async function replayPublicScan(services: Services, slug: string): Promise<PublicScanReport> {
  const stored = await publicScans.findBySlug(services.adminDb(), slug);
  if (stored === null) throw new AppError('not-found', 'There is no report at this address.');
  return toReport(stored, true);
}

export async function newestPublicScan(services: Services, name: RepositoryName): Promise<PublicScanReport | null> {
  const stored = await publicScans.findNewest(services.adminDb(), keyOf(`${name.owner}/${name.name}`));
  return stored === null ? null : toReport(stored, true);
}

async function scanOnce(
  services: Services,
  { owner, name }: RepositoryName,
  key: string,
  onStep: OnStep,
): Promise<PublicScanReport> {
  const codeHost = services.publicCodeHost();
  return withClaim(services, key, onStep, async (finish) => {
    onStep({ step: 'reading' });
    const snapshot = await readPublic(() => codeHost.readPublicRepository(owner, name)).catch(
      async (error: unknown) => {
        if (error instanceof AppError && error.code === 'not-found') await withdraw(services, key);
        throw error;
      },
    );
    const canonicalKey = keyOf(snapshot.fullName);
    if (canonicalKey === key) return finish(snapshot);
    // A renamed repository: the report belongs to its new name, which may be cached or in progress.
    return withClaim(services, canonicalKey, onStep, (finishCanonical) => finishCanonical(snapshot));
  });
}

/** Links to the reports of a repository that is no longer public keep working, but its name no longer leads to them. */
async function withdraw({ adminDb, log }: Services, key: string): Promise<void> {
  await publicScans
    .withdraw(adminDb(), key)
    .catch((error: unknown) => log.warn('reports of a repository cannot be withdrawn', { error }));
}

/** Missing and private repositories get identical responses. */
async function readPublic(read: () => Promise<RepositorySnapshot>): Promise<RepositorySnapshot> {
  let snapshot: RepositorySnapshot | undefined;
  try {
    snapshot = await read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
  }
  if (snapshot?.visibility !== 'public') {
    throw new AppError('not-found', 'There is no public repository of this name at the code host.');
  }
  return snapshot;
}

type Finish = (snapshot: RepositorySnapshot) => Promise<PublicScanReport>;

/**
 * Works under the only claim on a name, or returns what another holder stored. Without the database, the scan runs
 * but is neither cached nor shared.
 */
async function withClaim(
  services: Services,
  key: string,
  onStep: OnStep,
  work: (finish: Finish) => Promise<PublicScanReport>,
): Promise<PublicScanReport> {
  const { log } = services;
  const claim = randomUUID();
  let beginning: publicScans.Beginning | undefined;
  try {
    beginning = await beginOrWait(services, key, claim, onStep);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') throw error;
    log.warn('public scan cannot be cached', { error });
  }
  if (beginning?.state === 'cached') return toReport(beginning.scan, true);
  let finished = false;
  try {
    return await work(async (snapshot) => {
      onStep({ step: 'scanning', workflow_files: snapshot.workflowFiles });
      // Lets pending output leave before the engine blocks the thread.
      await nextTurn();
      const scan = await toScan(services, snapshot);
      try {
        const stored = await publicScans.finish(services.adminDb(), claim, scan);
        finished = true;
        return toReport(stored, false);
      } catch (error) {
        log.error('public scan cannot be stored', { error });
        const { slug: _, ...unstored } = scan;
        return toReport({ ...unstored, scanned_at: new Date().toISOString() }, false);
      }
    });
  } finally {
    if (!finished && beginning?.state === 'claimed') {
      await publicScans
        .abandon(services.adminDb(), key, claim)
        .catch((error: unknown) => log.warn('public scan keeps its claim until it lapses', { error }));
    }
  }
}

async function beginOrWait(
  services: Services,
  key: string,
  claim: string,
  onStep: OnStep,
): Promise<publicScans.Beginning> {
  const options = { claim, maxAgeSeconds: CACHE_SECONDS, claimSeconds: CLAIM_SECONDS };
  const deadline = performance.now() + WAIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const beginning = await publicScans.begin(services.adminDb(), key, options);
    if (beginning.state !== 'busy') return beginning;
    if (pause === FIRST_PAUSE_MS) onStep({ step: 'waiting' });
    if (performance.now() > deadline) {
      const message = 'Another scan of this repository has not ended yet.';
      throw new AppError('scm-unreachable', message, { retryAfterSeconds: 10 });
    }
    await delay(pause);
  }
}

async function toScan(services: Services, snapshot: RepositorySnapshot): Promise<publicScans.NewScan> {
  return {
    slug: randomBytes(16).toString('base64url'),
    scm_id: snapshot.scmId,
    repo: snapshot.fullName,
    default_branch: snapshot.defaultBranch ?? '',
    commit_sha: snapshot.commit,
    engine_version: version,
    workflow_files: snapshot.workflowFiles,
    ...(await check(services, snapshot)),
  };
}

async function check(services: Services, snapshot: RepositorySnapshot): Promise<ReturnType<typeof summarize>> {
  const { scm } = services.env;
  const key = keyOf(snapshot.fullName);
  if (snapshot.commit !== null && oversized.get(key) === snapshot.commit) {
    throw new AppError('timed-out', 'This commit took too much time or memory to check a few minutes ago.');
  }
  try {
    return await isolated(services, 'public', 'summarize', snapshot, { scm });
  } catch (error) {
    const isOversized = error instanceof AppError && error.code === 'timed-out';
    if (isOversized && snapshot.commit !== null) oversized.set(key, snapshot.commit);
    throw error;
  }
}

/** Copies field by field, so that nothing else can leave. */
export function toReport(
  scan: ShownScan & { readonly slug?: string; readonly scanned_at: string },
  cached: boolean,
): PublicScanReport {
  const { HIGH, MEDIUM, LOW, INFO } = scan.counts;
  const findings = HIGH + MEDIUM + LOW + INFO;
  return {
    ...(scan.slug === undefined ? {} : { slug: scan.slug }),
    repo: scan.repo,
    default_branch: scan.default_branch,
    workflow_files: scan.workflow_files,
    findings,
    counts: { HIGH, MEDIUM, LOW, INFO },
    top_findings: scan.top_findings.map(({ severity, category, rule_id, title }) => ({
      severity,
      category,
      rule_id,
      title,
    })),
    locked_findings: findings - scan.top_findings.length,
    cached,
    scanned_at: scan.scanned_at,
    ...(scan.workflow_files === 0 ? { no_workflows: true } : {}),
    not_assessed: scan.not_assessed.map(({ rule_id, reason }) => ({ rule_id, reason })),
  };
}

export function keyOf(fullName: string): string {
  return fullName.toLowerCase();
}
