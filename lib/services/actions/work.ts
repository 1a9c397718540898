import { randomUUID } from 'node:crypto';
import { POPULAR_ACTIONS } from '#lib/data/curated/popular-actions.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';
import { scoreAction } from './score.ts';

const BATCH = 10;
/** Longer than the whole batch takes; after that another worker may take its actions. */
const LEASE_SECONDS = 15 * 60;
const RESCORE_SECONDS = 24 * 3_600;
/** Less than the interval, so that a run on the same minute of the next day takes them. */
const OTHERS_AFTER_MS = 20 * 3_600_000;
const READ_MS = 30_000;
const RETRY_SECONDS = 3_600;
const RETRY_BROKEN_SECONDS = 24 * 3_600;

export interface WorkOptions {
  readonly timeLimitMs?: number;
  readonly waitingOnly?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: WorkProgress) => void;
}

export interface WorkProgress {
  readonly action: string;
  readonly outcome: 'scored' | 'missing' | 'failed';
  readonly score: number | undefined;
}

export interface WorkSummary {
  readonly scored: number;
  readonly missing: number;
  readonly failed: number;
  /** `limit`: the code host told us to wait. */
  readonly ended: 'done' | 'limit' | 'time' | 'stopped';
}

/**
 * Scores every action that waits and every score older than a day (a quarter of it for much used actions), with the versions
 * that repositories use. Several workers may run at once; a killed one loses
 * nothing. Ends when nothing is left, when the code host limits our requests, or when the time is up.
 */
export async function workOnActions(services: Services, options: WorkOptions = {}): Promise<WorkSummary> {
  const { timeLimitMs = Number.POSITIVE_INFINITY, waitingOnly = false, signal, onProgress = () => {} } = options;
  const db = services.adminDb();
  const lease = randomUUID();
  const deadline = performance.now() + timeLimitMs;
  const counts = { scored: 0, missing: 0, failed: 0 };
  await actions.catalog(db, POPULAR_ACTIONS);
  for (;;) {
    const batch = [
      ...(await actions.claim(db, {
        lease,
        leaseSeconds: LEASE_SECONDS,
        limit: BATCH,
        rescoreSeconds: waitingOnly ? null : RESCORE_SECONDS,
      })),
    ];
    if (batch.length === 0) return { ...counts, ended: 'done' };
    for (let next = batch.shift(); next !== undefined; next = batch.shift()) {
      const stopped = signal?.aborted === true;
      const result = stopped || performance.now() > deadline ? undefined : await scoreOne(services, next);
      if (result === undefined || result.retrySeconds !== undefined) {
        const retry = result?.retrySeconds ?? 0;
        await actions.release(db, next.id, lease, retry);
        if (result === undefined || result.limited) {
          for (const left of batch) await actions.release(db, left.id, lease, 0);
          if (result !== undefined) counts.failed += 1;
          return { ...counts, ended: result !== undefined ? 'limit' : stopped ? 'stopped' : 'time' };
        }
      } else if (result.outcome === 'missing') {
        await actions.release(db, next.id, lease, null);
      }
      counts[result.outcome] += 1;
      onProgress({ action: `${next.owner}/${next.name}`, outcome: result.outcome, score: result.score });
    }
  }
}

interface Result {
  readonly outcome: WorkProgress['outcome'];
  readonly score?: number | undefined;
  readonly retrySeconds?: number;
  readonly limited?: boolean;
}

async function scoreOne(services: Services, { owner, name }: actions.ClaimedAction): Promise<Result> {
  try {
    const scored = await scoreAction(
      services,
      { owner, name },
      {
        lane: 'connected',
        readMs: READ_MS,
        othersAfterMs: OTHERS_AFTER_MS,
      },
    );
    return scored === undefined ? { outcome: 'missing' } : { outcome: 'scored', score: scored.latest?.score };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    services.log.warn('an action was not scored', { action: `${owner}/${name}`, error });
    const { code, retryAfterSeconds } = error;
    if (code !== 'scm-unreachable') return { outcome: 'failed', retrySeconds: RETRY_BROKEN_SECONDS };
    return {
      outcome: 'failed',
      retrySeconds: retryAfterSeconds ?? RETRY_SECONDS,
      limited: retryAfterSeconds !== undefined,
    };
  }
}
