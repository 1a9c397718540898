import { createHash } from 'node:crypto';
import { type Collected, collectFacts, collectVersion } from '#lib/collector/collect.ts';
import * as actions from '#lib/db/queries/actions.ts';
import type { ActionDetail, StoredSignal } from '#lib/db/shapes/actions.ts';
import { AppError } from '#lib/errors.ts';
import type { RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { CountedSignal, Evaluation } from '#lib/scorer/score.ts';
import type { Signal } from '#lib/scorer/signal.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';

/** Reading ends by then, so that scoring fits into what a visitor waits. */
const READ_MS = 7_000;

export interface ScoreOptions {
  readonly lane?: 'public' | 'connected';
  readonly readMs?: number;
  /** Also scores other versions that repositories use, unless that happened less than this long ago. */
  readonly othersAfterMs?: number;
  readonly asOf?: Date;
}

/** Stores nothing if a required part cannot be read, so that a former score stays. */
export async function scoreAction(
  services: Services,
  at: RepositoryName,
  { lane = 'public', readMs = READ_MS, asOf = new Date(), othersAfterMs }: ScoreOptions = {},
): Promise<ActionDetail | undefined> {
  const host = services.publicCodeHost();
  const db = services.adminDb();
  let history: actions.ActionHistory | undefined;
  const collected = await collectFacts(at, {
    source: host.actionSource,
    history: async ({ scmId, owner, name }) => (history = await actions.readHistory(db, scmId, owner, name)),
    publisherFiles: async ({ owner, name }) => (await host.readPublicRepository(owner, name)).files,
    asOf,
    deadline: performance.now() + readMs,
  });
  if (collected === undefined) return undefined;
  const previous = history?.signals_sha === collected.commit ? (history.signals ?? []) : [];
  const scored = await evaluated(services, lane, collected, previous);
  if (scored === undefined) {
    throw new AppError('scm-unreachable', 'The code host did not return the files or refs of the action.');
  }
  const stored = await actions.store(db, scored);
  if (othersAfterMs === undefined || collected.usedCommits.length === 0) return stored;
  const { scmId } = collected.repository;
  const known = new Map((await actions.readVersions(db, scmId, collected.usedCommits)).map((each) => [each.sha, each]));
  for (const commit of collected.usedCommits) {
    const before = known.get(commit);
    if (before !== undefined && asOf.getTime() - Date.parse(before.checked_at) < othersAfterMs) continue;
    const deadline = performance.now() + readMs;
    const other = await collectVersion(collected, commit, { source: host.actionSource, deadline });
    const version = await evaluated(services, lane, other, before?.signals ?? []);
    if (version !== undefined) await actions.store(db, { ...version, current: false });
  }
  return stored;
}

async function evaluated(
  services: Services,
  lane: 'public' | 'connected',
  collected: Collected,
  previous: readonly StoredSignal[],
): Promise<actions.NewActionVersion | undefined> {
  const { facts, publisherFiles } = collected;
  const signals = previous.map(toSignal);
  const { attempt, findingCounts } = await isolated(services, lane, 'evaluateAction', facts, publisherFiles, signals);
  return 'missing' in attempt ? undefined : toVersion(collected, attempt.evaluation, findingCounts);
}

function toVersion(
  { repository, commit, facts }: Collected,
  evaluation: Evaluation,
  findingCounts: Readonly<Record<string, number>>,
): actions.NewActionVersion {
  return {
    scm_id: repository.scmId,
    owner_scm_id: repository.ownerScmId ?? '0',
    owner: repository.owner,
    name: repository.name,
    description: repository.description?.slice(0, 1_000).toWellFormed().replaceAll('\0', '\uFFFD') ?? null,
    url: repository.url,
    stars: repository.stars,
    archived: repository.archived,
    path: facts.action.path,
    sha: commit,
    refs: [
      ...repository.tags.map((tag) => ({ ref: `refs/tags/${tag.name}`, commit: tag.commit })),
      ...repository.branches.map((branch) => ({ ref: `refs/heads/${branch.name}`, commit: branch.commit })),
    ].filter(({ ref }) => ref.length <= 300),
    evaluation: toEvaluation(evaluation, findingCounts),
  };
}

export function toEvaluation(
  evaluation: Evaluation,
  findingCounts: Readonly<Record<string, number>>,
): actions.NewActionVersion['evaluation'] {
  const signals = evaluation.signals.map(toStored);
  return {
    algorithm_version: evaluation.algorithmVersion,
    signals_hash: createHash('sha256').update(JSON.stringify(signals)).digest('hex'),
    score: evaluation.score,
    score_floor: evaluation.scoreFloor,
    band: evaluation.band,
    coverage: evaluation.coverage,
    provisional: evaluation.provisional,
    hard_block: evaluation.hardBlock,
    breakdown: evaluation.breakdown,
    signals,
    finding_counts: findingCounts,
  };
}

function toStored(signal: CountedSignal): StoredSignal {
  const { id, family, state, points, evidence } = signal;
  const said = evidence === undefined ? {} : { evidence: evidence.toWellFormed().replaceAll('\0', '\uFFFD') };
  if (state === 'present') return { id, family, state, n: signal.n, points, ...said };
  return { id, family, state, points, ...said, ...(state === 'unknown' ? { reason: signal.reason } : {}) };
}

function toSignal({ id, state, n = 1, evidence, reason }: StoredSignal): Signal {
  if (state === 'present') return { id, state, n, evidence: evidence ?? '' };
  const said = evidence === undefined ? {} : { evidence };
  if (state === 'absent') return { id, state, ...said };
  return { id, state, reason: (reason ?? 'fetch_failed') as never, ...said };
}
