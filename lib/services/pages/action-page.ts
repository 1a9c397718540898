import * as actions from '#lib/db/queries/actions.ts';
import type { ActionDetail, Band, StoredSignal, TagMove } from '#lib/db/shapes/actions.ts';
import { type Algorithm, algorithmOf } from '#lib/scorer/algorithm.ts';
import { FAMILIES_OF_SIGNALS } from '#lib/scorer/evaluate.ts';
import { FAMILIES, type FamilyId, type UnknownReason } from '#lib/scorer/signal.ts';
import { TagKinds } from '#lib/scorer/tag/ref-kinds.ts';
import { compareVersions, isExact, parseVersion, type Version } from '#lib/workflow/model/versions.ts';
import { readAction } from '../actions/read.ts';
import type { Services } from '../context.ts';
import { bounded } from './bounded.ts';
import { PageCache } from './page-cache.ts';
import { groupMoves, type ShownMove } from './tag-moves.ts';

export type { UnknownReason };

export interface ShownSignal {
  readonly id: string;
  readonly means: string;
  readonly n: number;
  readonly points: number;
  readonly max: number | null;
  readonly evidence: string | null;
  readonly reason: UnknownReason | null;
  readonly blocks: boolean;
}

export interface ShownFamily {
  readonly id: FamilyId;
  readonly cap: number;
  readonly pointsAfterCap: number;
  readonly pointsBeforeCap: number;
  readonly present: readonly ShownSignal[];
  readonly unknown: readonly ShownSignal[];
  readonly absent: readonly ShownSignal[];
}

export interface ShownRef {
  readonly name: string;
  readonly kind: 'tag' | 'branch';
  readonly lastSeenHereAt: string | null;
}

export interface ShownVersion {
  readonly sha: string;
  readonly refs: readonly ShownRef[];
  readonly moreRefs: number;
  readonly score: number;
  readonly band: Band | null;
  readonly scoredAt: string;
  readonly firstSeenAt: string;
  readonly pin: string | null;
}

export interface ScorePoint {
  readonly at: string;
  readonly score: number;
  readonly band: Band;
  readonly sha: string;
  readonly ref: string | null;
  readonly algorithmVersion: string;
  readonly newest: boolean;
}

export interface ShownScore {
  readonly sha: string;
  readonly ref: string | null;
  readonly score: number;
  readonly floor: number;
  readonly band: Band;
  /** Null if the band would be good but too little is known to say so. */
  readonly shownBand: Band | null;
  readonly coverage: number;
  readonly provisional: boolean;
  readonly advisoriesKnown: boolean;
  readonly blocks: readonly ShownSignal[];
  readonly families: readonly ShownFamily[];
  readonly algorithmVersion: string;
  readonly scoredAt: string;
  readonly findings: Readonly<Record<'HIGH' | 'MEDIUM' | 'LOW' | 'INFO', number>>;
  readonly previousScore: { readonly score: number; readonly at: string } | null;
  readonly pin: string | null;
}

export interface ActionPage {
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly stars: number | null;
  readonly archived: boolean;
  readonly status: ActionDetail['status'];
  readonly staleSince: string | null;
  readonly latest: ShownScore | null;
  /** Oldest first. */
  readonly history: readonly ScorePoint[];
  readonly versions: readonly ShownVersion[];
  readonly moreVersions: number;
  readonly moves: readonly ShownMove[];
}

const MAX_VERSIONS = 30;
const MAX_REFS = 6;
const MAX_MOVES = 300;
const MAX_NAME = 60;
const MAX_DESCRIPTION = 300;
const MAX_EVIDENCE = 600;
const TAG = 'refs/tags/';
const BRANCH = 'refs/heads/';

const MEANINGS: ReadonlyMap<string, string> = new Map(
  FAMILIES_OF_SIGNALS.flatMap(({ signals }) => signals.map(({ id, means }) => [id, means] as const)),
);

const pages = new PageCache<ActionPage>(500);

/**
 * Returns what the page of an action shows, at most five minutes old once it is scored. Throws `not-found` for an action
 * that nobody asked for.
 */
export async function readActionPage(services: Services, owner: string, name: string): Promise<ActionPage> {
  const db = services.adminDb();
  return pages.get(
    db,
    `${owner}/${name}`.toLowerCase(),
    async () => {
      const [detail, moves] = await Promise.all([
        readAction(services, owner, name),
        actions.readTagMoves(db, owner, name, MAX_MOVES),
      ]);
      return toPage(detail, moves);
    },
    ({ status }) => status === 'scored',
  );
}

function toPage(detail: ActionDetail, moves: readonly TagMove[]): ActionPage {
  const { owner, name, repository, status, latest, versions } = detail;
  const shown = versionsOf(detail);
  const refs = new Map(shown.map(({ sha, refs: [first] }) => [sha, first === undefined ? null : first.name]));
  const newest = newestAt(versions);
  const history = versions
    .map(({ scored_at, score, band, sha, algorithm_version }) => ({
      at: scored_at,
      score,
      band,
      sha,
      ref: refs.get(sha) ?? null,
      algorithmVersion: algorithm_version,
      newest: newest({ sha, scored_at }),
    }))
    .reverse();
  const scored = shown.find(({ sha }) => sha === latest?.sha);
  const score = latest === null ? null : toScore(latest, history, scored);
  return {
    owner,
    name,
    description: repository.description === null ? null : bounded(repository.description, MAX_DESCRIPTION),
    stars: repository.stars,
    archived: repository.archived,
    status,
    staleSince: detail.stale_since,
    latest: score,
    history,
    versions: shown
      .slice(0, MAX_VERSIONS)
      .map((version) => (version.sha === score?.sha ? { ...version, band: score.shownBand } : version)),
    moreVersions: Math.max(0, shown.length - MAX_VERSIONS),
    moves: groupMoves(moves),
  };
}

function toScore(
  latest: NonNullable<ActionDetail['latest']>,
  history: readonly ScorePoint[],
  version: ShownVersion | undefined,
): ShownScore {
  const algorithm = knownAlgorithm(latest.algorithm_version);
  const families = FAMILIES.map((id) => toFamily(id, latest, algorithm));
  const advisoriesKnown = !latest.signals.some(
    ({ id, state }) => state === 'unknown' && entryOf(algorithm, id)?.essential === true,
  );
  const doubtful = latest.provisional || !advisoriesKnown;
  const [previous, last] = history.filter((point) => point.newest).slice(-2);
  const comparable = previous?.algorithmVersion === last?.algorithmVersion && previous?.score !== last?.score;
  const all = families.flatMap(({ present }) => present);
  return {
    sha: latest.sha,
    ref: version?.refs[0]?.name ?? null,
    score: latest.score,
    floor: latest.score_floor,
    band: latest.band,
    shownBand: doubtful && (latest.band === 'A' || latest.band === 'B') ? null : latest.band,
    coverage: Math.round(latest.coverage * 100),
    provisional: latest.provisional,
    advisoriesKnown,
    blocks: latest.hard_block.map((id) => all.find((signal) => signal.id === id) ?? bare(id)),
    families,
    algorithmVersion: latest.algorithm_version,
    scoredAt: latest.scored_at,
    findings: latest.finding_counts,
    previousScore: comparable && previous !== undefined ? { score: previous.score, at: previous.at } : null,
    pin: version?.pin ?? null,
  };
}

function knownAlgorithm(version: string): Algorithm | undefined {
  try {
    return algorithmOf(version);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function entryOf(algorithm: Algorithm | undefined, id: string) {
  if (algorithm === undefined) return undefined;
  return FAMILIES.flatMap((family) => algorithm.families[family].signals).find((entry) => entry.id === id);
}

function toFamily(
  id: FamilyId,
  { signals, breakdown }: NonNullable<ActionDetail['latest']>,
  algorithm: Algorithm | undefined,
): ShownFamily {
  const own = signals
    .filter(({ family }) => family === id)
    .map((signal) => ({ state: signal.state, shown: toSignal(signal, algorithm) }));
  const inState = (state: StoredSignal['state']) => own.flatMap((each) => (each.state === state ? [each.shown] : []));
  const present = inState('present').sort((a, b) => b.points - a.points);
  return {
    id,
    cap: algorithm?.families[id].cap ?? 100,
    pointsAfterCap: breakdown[id],
    pointsBeforeCap: present.reduce((sum, { points }) => sum + points, 0),
    present,
    unknown: inState('unknown').sort((a, b) => (b.max ?? 0) - (a.max ?? 0)),
    absent: inState('absent'),
  };
}

function toSignal(
  { id, n = 1, points, evidence, reason }: StoredSignal,
  algorithm: Algorithm | undefined,
): ShownSignal {
  const entry = entryOf(algorithm, id);
  return {
    ...bare(id),
    n,
    points,
    max: entry?.points[2] ?? null,
    evidence: evidence === undefined || evidence === '' ? null : bounded(evidence, MAX_EVIDENCE),
    reason: (reason as UnknownReason | undefined) ?? null,
    blocks: entry?.blocks === true,
  };
}

function newestAt(
  versions: ActionDetail['versions'],
): (evaluation: Pick<ActionDetail['versions'][number], 'sha' | 'scored_at'>) => boolean {
  const releases = new Map(
    versions.map(({ sha, first_seen_at, refs }) => [sha, { since: first_seen_at, version: releaseOf(refs) }]),
  );
  return ({ sha, scored_at }) => {
    const own = releases.get(sha)?.version;
    return ![...releases.values()].some(
      ({ since, version }) =>
        since <= scored_at && version !== undefined && (own === undefined || compareVersions(version, own) > 0),
    );
  };
}

function releaseOf(refs: ObservedRefs['refs']): Version | undefined {
  return refs
    .flatMap(({ ref }) => {
      const version = ref.startsWith(TAG) ? parseVersion(ref.slice(TAG.length)) : undefined;
      return version !== undefined && isExact(version) && version.prerelease === undefined ? [version] : [];
    })
    .sort(compareVersions)
    .at(-1);
}

function bare(id: string): ShownSignal {
  const means = MEANINGS.get(id) ?? 'A signal of another version of the algorithm.';
  return { id, means, n: 1, points: 0, max: null, evidence: null, reason: null, blocks: false };
}

function versionsOf({ owner, name, versions, latest }: ActionDetail): ShownVersion[] {
  const seen = new Map<string, ActionDetail['versions'][number]>();
  // The first entry of a commit is its newest evaluation.
  for (const version of versions) if (!seen.has(version.sha)) seen.set(version.sha, version);
  return [...seen.values()].map((version) => {
    const refs = refsOf(version, latest?.scored_at);
    return {
      sha: version.sha,
      refs: refs.slice(0, MAX_REFS),
      moreRefs: Math.max(0, refs.length - MAX_REFS),
      score: version.score,
      band: version.band,
      scoredAt: version.scored_at,
      firstSeenAt: version.first_seen_at,
      pin:
        version.band === 'F' || (version.sha === latest?.sha && latest.hard_block.length > 0)
          ? null
          : pinOf(owner, name, version.sha, refs),
    };
  });
}

type ObservedRefs = ActionDetail['versions'][number];

function refsOf({ refs }: Pick<ObservedRefs, 'refs'>, now: string | undefined): ShownRef[] {
  const kinds = new TagKinds(refs.flatMap(({ ref }) => (ref.startsWith(TAG) ? [ref.slice(TAG.length)] : [])));
  const rankOf = (ref: string): number => {
    if (!ref.startsWith(TAG)) return 3;
    return { exact: 0, alias: 1, other: 2 }[kinds.kindOf(ref.slice(TAG.length))];
  };
  return refs
    .map(({ ref, last_seen_at }) => ({
      rank: rankOf(ref) + (isCurrent(last_seen_at, now) ? 0 : 10),
      name: bounded(ref.startsWith(TAG) ? ref.slice(TAG.length) : ref.replace(BRANCH, ''), MAX_NAME),
      kind: ref.startsWith(TAG) ? ('tag' as const) : ('branch' as const),
      lastSeenHereAt: isCurrent(last_seen_at, now) ? null : last_seen_at,
    }))
    .sort((a, b) => a.rank - b.rank || b.name.length - a.name.length)
    .map(({ name, kind, lastSeenHereAt }) => ({ name, kind, lastSeenHereAt }));
}

function isCurrent(lastSeenAt: string, now: string | undefined): boolean {
  return now === undefined || lastSeenAt >= now;
}

/** A tag in a comment of a workflow must not end the comment or hide what follows. */
const PLAIN_TAG = /^[\w.+@/-]{1,60}$/;

function pinOf(owner: string, name: string, sha: string, refs: readonly ShownRef[]): string {
  const tag = refs.find((ref) => ref.kind === 'tag' && ref.lastSeenHereAt === null && PLAIN_TAG.test(ref.name));
  return `uses: ${owner}/${name}@${sha}${tag === undefined ? '' : ` # ${tag.name}`}`;
}
