import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import * as deliveries from '#lib/db/queries/deliveries.ts';
import * as fixes from '#lib/db/queries/fix-pull-requests.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import { AppError } from '#lib/errors.ts';
import { Limiter } from '#lib/hosts/limiter.ts';
import { ChangedPull, checkAgain, checkPull, isOurs, RerequestedRun, RerequestedSuite } from '../checks/receive.ts';
import type { Services } from '../context.ts';
import { type Later, type PushResult, scanPushed } from '../scans/scan-push.ts';

/** A delivery with a verified signature, which does not cover the two headers. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly payload: unknown;
}

export type Acknowledgement =
  | PushResult
  | {
      readonly reason:
        | 'ping'
        | 'unsupported-event'
        | 'not-default-branch'
        | 'branch-deleted'
        | 'replayed'
        | 'recorded'
        | 'pull-request';
    };

const CLAIM_SECONDS = 8;
const RENEW_MS = 2_000;
const WAIT_MS = 9_000;
const PAUSE_MS = 300;

/** More at once would only slow each other down, until all of them time out. */
const pushes = new Limiter({ maxConcurrent: 4 });

const MAX_WAITING = 250;
/** A refused push waits for the daily job, so a late scan is better. Functions of a serverless platform end much earlier. */
const MAX_TURN_MS = 600_000;
const BUSY_SECONDS = 30;

let waiting = 0;

const ScmId = z.int().positive().transform(String);

const Push = z.object({
  ref: z.string(),
  after: z.string(),
  repository: z.object({ id: ScmId, default_branch: z.string() }),
});

const Time = z.iso.datetime({ offset: true });

const WithAction = z.object({ action: z.string() });

const CHECKED_ACTIONS: ReadonlySet<string> = new Set(['opened', 'synchronize', 'reopened']);

const PullRequest = z.object({
  number: z.int().positive(),
  repository: z.object({ id: ScmId }),
  pull_request: z.object({
    merged_at: Time.nullable(),
    closed_at: Time.nullable(),
    // Newer versions of the API leave it out.
    merge_commit_sha: z.string().nullish(),
  }),
});

const Installation = z.object({ action: z.string(), installation: z.object({ id: ScmId }) });

/**
 * Handles a delivery once, however often it arrives. Failed ones can arrive again; while another process handles it,
 * waits for the outcome.
 */
export async function receiveDelivery(services: Services, delivery: Delivery, later: Later): Promise<Acknowledgement> {
  const arrived = performance.now();
  const handleOnce = () => receiveOnce(services, delivery, later, arrived + WAIT_MS);
  // The claim begins with the turn: renewing the claims of a long queue would keep the database busy.
  return delivery.event === 'push' ? inTurn(handleOnce, arrived + MAX_TURN_MS) : handleOnce();
}

/** Refused deliveries are not claimed: the code host records a failure, and the daily job requests a redelivery. */
async function inTurn(handleOnce: () => Promise<Acknowledgement>, latest: number): Promise<Acknowledgement> {
  if (waiting >= MAX_WAITING) throw tooMany();
  waiting += 1;
  return pushes.run(async () => {
    waiting -= 1;
    if (performance.now() > latest) throw tooMany();
    return handleOnce();
  });
}

function tooMany(): AppError {
  return new AppError('not-configured', 'Too many pushes wait to be scanned. Deliver this one again later.', {
    retryAfterSeconds: BUSY_SECONDS,
  });
}

async function receiveOnce(
  services: Services,
  delivery: Delivery,
  later: Later,
  deadline: number,
): Promise<Acknowledgement> {
  const db = services.adminDb();
  const { id, event } = delivery;
  const claim = { id, event, claim: randomUUID(), claimSeconds: CLAIM_SECONDS };
  let state = await deliveries.begin(db, claim);
  while (state === 'busy' && performance.now() < deadline) {
    await delay(PAUSE_MS);
    state = await deliveries.begin(db, claim);
  }
  if (state !== 'claimed') return { reason: 'replayed' };
  const renewal = setInterval(() => {
    deliveries.begin(db, claim).catch((error: unknown) => services.log.warn('claim not renewed', { error }));
  }, RENEW_MS);
  let handled = false;
  try {
    const answer = await handle(services, delivery, later);
    handled = !('failed' in answer) || answer.failed === 0;
    return answer;
  } finally {
    clearInterval(renewal);
    await deliveries.end(db, id, claim.claim, handled);
  }
}

async function handle(services: Services, { event, payload }: Delivery, later: Later): Promise<Acknowledgement> {
  switch (event) {
    case 'ping':
      return { reason: 'ping' };
    case 'push': {
      const { ref, after, repository } = read(Push, payload);
      if (/^0+$/.test(after)) return { reason: 'branch-deleted' };
      if (ref !== `refs/heads/${repository.default_branch}`) return { reason: 'not-default-branch' };
      return scanPushed(services, repository.id, later);
    }
    case 'pull_request':
      return handlePull(services, payload, later);
    case 'check_run': {
      const isOther = read(WithAction, payload).action !== 'rerequested';
      const run = isOther ? null : read(RerequestedRun, payload);
      if (run === null || !isOurs(run)) return { reason: 'unsupported-event' };
      await checkAgain(services, run, run.check_run.head_sha, later);
      return { reason: 'pull-request' };
    }
    case 'check_suite': {
      if (read(WithAction, payload).action !== 'rerequested') return { reason: 'unsupported-event' };
      const suite = read(RerequestedSuite, payload);
      await checkAgain(services, suite, suite.check_suite.head_sha, later);
      return { reason: 'pull-request' };
    }
    case 'installation':
      return recordSuspension(services, payload);
    default:
      return { reason: 'unsupported-event' };
  }
}

async function handlePull(services: Services, payload: unknown, later: Later): Promise<Acknowledgement> {
  const { action } = read(WithAction, payload);
  if (action === 'closed') return recordOutcome(services, payload);
  if (!CHECKED_ACTIONS.has(action)) return { reason: 'unsupported-event' };
  await checkPull(services, read(ChangedPull, payload), later);
  return { reason: 'pull-request' };
}

async function recordOutcome(services: Services, payload: unknown): Promise<Acknowledgement> {
  const { number, repository, pull_request: ended } = read(PullRequest, payload);
  const { merged_at, closed_at, merge_commit_sha: commit } = ended;
  const merge_commit_sha = commit != null && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  const state = merged_at === null ? 'closed' : 'merged';
  const outcome = { scm_id: repository.id, number, state, merged_at, closed_at, merge_commit_sha } as const;
  const rows = await fixes.recordOutcomes(services.adminDb(), [outcome]);
  return { reason: rows > 0 ? 'recorded' : 'unsupported-event' };
}

async function recordSuspension(services: Services, payload: unknown): Promise<Acknowledgement> {
  const { action, installation } = read(Installation, payload);
  if (action !== 'suspend' && action !== 'unsuspend') return { reason: 'unsupported-event' };
  const [changed, other] = [[installation.id], []];
  const rows = await repositories.recordSuspensions(
    services.adminDb(),
    action === 'suspend' ? { suspended: changed, active: other } : { suspended: other, active: changed },
  );
  return { reason: rows > 0 ? 'recorded' : 'unsupported-event' };
}

function read<T extends z.ZodType>(schema: T, payload: unknown): z.output<T> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const errors = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  throw new AppError('validation-failed', 'The payload does not match the event named in the header.', { errors });
}
