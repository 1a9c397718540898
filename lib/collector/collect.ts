import { AppError } from '#lib/errors.ts';
import type { ActionSource, HostedRef, HostedRepository } from '#lib/hosts/code-host/port.ts';
import type { RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import { advisoriesFrom } from '#lib/scorer/advisory/known-advisories.ts';
import type {
  ActionTree,
  CollectedFacts,
  IdentityWitness,
  Reachability,
  RefObservation,
  Refs,
  Usage,
} from '#lib/scorer/facts.ts';
import type { Fetched, UnknownReason } from '#lib/scorer/signal.ts';
import { isWantedFile, MAX_WANTED_BYTES } from '#lib/scorer/static/wanted-files.ts';
import { compareVersions, isExact, parseVersion } from '#lib/workflow/model/versions.ts';
import type { InputFile } from '#lib/workflow/repository.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const MAX_FILES = 60;
/** Files above what one query returns take a request each. */
const MAX_LARGE_FILES = 3;
const LARGE_BYTES = 500_000;
const MAX_COMPARISONS = 6;
const MAX_CLOCK_SKEW_MS = 2 * 24 * 3_600_000;
const MAX_OTHER_VERSIONS = 5;
/** Few known users mean little until the users of so many organizations are known. */
const MANY_USERS = 10;
const MANY_ORGANIZATIONS = 200;

export interface ActionHistory {
  readonly observations: readonly {
    readonly ref: string;
    readonly commit: string;
    readonly first_seen_at: string;
    readonly last_seen_at: string;
  }[];
  readonly identities: readonly { readonly scm_id: string; readonly owner_scm_id: string; readonly at: string }[];
  /** Organizations that use the action, and those of which any used action is known. */
  readonly users: number;
  readonly organizations: number;
  readonly used_refs: readonly string[];
}

export type RawFacts = Omit<CollectedFacts, 'publisherCi'>;

export interface Collected {
  readonly repository: HostedRepository;
  readonly commit: string;
  readonly facts: RawFacts;
  readonly publisherFiles: Fetched<readonly InputFile[]>;
  readonly usedCommits: readonly string[];
}

interface Options {
  readonly source: ActionSource;
  readonly history: (repository: HostedRepository) => Promise<ActionHistory>;
  readonly publisherFiles: (at: RepositoryName) => Promise<readonly InputFile[]>;
  readonly asOf: Date;
  readonly deadline: number;
}

/**
 * Reads what scoring an action takes: its repository and, of the newest release or else the default branch's head, the
 * files. Undefined for a missing, private or empty repository. Throws `scm-unreachable` if not even the repository can
 * be read; other failures make their facts unknown.
 */
export async function collectFacts(at: RepositoryName, options: Options): Promise<Collected | undefined> {
  const { source, asOf, deadline } = options;
  const since = new Date(asOf.getTime() - YEAR_MS).toISOString();
  const repository = await inTime(source.readRepository(at.owner, at.name, since), deadline);
  const commit = repository === undefined ? undefined : versionToScore(repository);
  if (repository === undefined || commit === undefined) return undefined;
  const named = { owner: repository.owner, name: repository.name };
  const fetched = <T>(read: () => Promise<T>): Promise<Fetched<T>> => fetchBy(read, deadline);
  const [code, releases, advisories, reachability, history, publisherFiles] = await Promise.all([
    fetched(() => readCode(source, named, commit)),
    fetched(() => source.readReleases(named)),
    fetched(() => source.readAdvisories(named)),
    fetched(() => reachabilityOf(source, repository, commit, null)),
    fetched(() => options.history(repository)),
    fetched(() => options.publisherFiles(named)),
  ]);
  const facts: RawFacts = {
    asOf: asOf.toISOString(),
    action: {
      ...named,
      path: '',
      commit,
      repositoryId: Number(repository.scmId),
      ownerId: Number(repository.ownerScmId ?? 0),
    },
    tree: map(code, ({ tree }) => tree),
    refs: { value: refsOf(repository) },
    rebuild: { unknown: 'not_supported' },
    repository: { value: { archived: repository.archived, stars: repository.stars } },
    owner:
      repository.ownerCreatedAt === null
        ? { unknown: 'not_supported' }
        : { value: { createdAt: repository.ownerCreatedAt } },
    commits: {
      value: { latestAt: repository.headAt, authors: repository.authors, complete: repository.allAuthors },
    },
    community: { value: { license: repository.license, securityPolicy: repository.securityPolicy } },
    usage: flat(map(history, usageOf), 'no_history'),
    observations: map(history, ({ observations }) => observations.map(toObservation)),
    identities: map(history, ({ identities }) => identities.map((each) => toWitness(each, named))),
    reachability,
    releases,
    signature: signatureOf(code),
    advisories: map(advisories, (list) => list.flatMap((each) => advisoriesFrom(each, named.owner, named.name))),
    dependencies: { unknown: 'not_supported' },
  };
  const usedCommits = 'value' in history ? commitsOf(history.value.used_refs, repository, commit) : [];
  return { repository, commit, facts, publisherFiles, usedCommits };
}

export async function collectVersion(
  { facts, repository, ...rest }: Collected,
  commit: string,
  { source, deadline }: Pick<Options, 'source' | 'deadline'>,
): Promise<Collected> {
  const code = await fetchBy(() => readCode(source, facts.action, commit), deadline);
  const at = 'value' in code ? code.value.committedAt : null;
  const reachability = await fetchBy(() => reachabilityOf(source, repository, commit, at), deadline);
  return {
    ...rest,
    repository,
    commit,
    facts: {
      ...facts,
      action: { ...facts.action, commit },
      tree: map(code, ({ tree }) => tree),
      reachability,
      signature: signatureOf(code),
    },
  };
}

function commitsOf(used: readonly string[], { tags, branches }: HostedRepository, current: string): string[] {
  // A tag wins over a branch of the same name.
  const targets = new Map([...branches, ...tags].map(({ name, commit }) => [name, commit]));
  const commits = used.flatMap((ref) => (/^[0-9a-f]{40}$/i.test(ref) ? ref.toLowerCase() : (targets.get(ref) ?? [])));
  return [...new Set(commits)].filter((commit) => commit !== current).slice(0, MAX_OTHER_VERSIONS);
}

function usageOf({ users, organizations }: ActionHistory): Usage | null {
  return users >= MANY_USERS || organizations >= MANY_ORGANIZATIONS ? { users } : null;
}

function signatureOf(code: Fetched<Code>): RawFacts['signature'] {
  return flat(
    map(code, ({ verified }) => (verified === null ? null : { verified })),
    'fetch_failed',
  );
}

export function versionToScore({ tags, head }: Pick<HostedRepository, 'tags' | 'head'>): string | undefined {
  const released = tags
    .flatMap(({ name, commit }) => {
      const version = parseVersion(name);
      return version !== undefined && isExact(version) && version.prerelease === undefined ? [{ version, commit }] : [];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
  return released[0]?.commit ?? head ?? undefined;
}

interface Code {
  readonly tree: ActionTree;
  readonly verified: boolean | null;
  readonly committedAt: string | null;
}

async function readCode(source: ActionSource, at: RepositoryName, commit: string): Promise<Code> {
  const { files, truncated } = await source.readTree(at, commit);
  if (truncated) throw new TooLarge();
  const wanted = files
    .filter(({ path }) => isWantedFile(path))
    .sort((a, b) => importance(a.path) - importance(b.path) || a.bytes - b.bytes);
  const small = wanted.filter(({ bytes }) => bytes <= LARGE_BYTES).slice(0, MAX_FILES);
  const large = wanted
    .filter(({ bytes }) => bytes > LARGE_BYTES && bytes <= MAX_WANTED_BYTES)
    .slice(0, MAX_LARGE_FILES);
  const { texts, verified, committedAt } = await source.readTexts(at, commit, [...small, ...large]);
  const omitted = new Set(wanted.map(({ path }) => path).filter((path) => !texts.has(path)));
  return { tree: { paths: files.map(({ path }) => path), files: texts, omitted }, verified, committedAt };
}

function importance(path: string): number {
  if (/(?:^|\/)(?:action\.ya?ml|Dockerfile)$/.test(path)) return path.split('/').length;
  if (/(?:^|\/)(?:dist|lib|build|out)\//.test(path)) return 100 + path.split('/').length;
  return 200 + path.split('/').length;
}

async function reachabilityOf(
  source: ActionSource,
  { owner, name, head, branches, tags, allTags, allBranches }: HostedRepository,
  commit: string,
  committedAt: string | null,
): Promise<Reachability> {
  const at = { owner, name };
  if (commit === head || branches.some((branch) => branch.commit === commit)) return 'branch';
  if (head !== null && (await source.contains(at, head, commit))) return 'branch';
  if (tags.some((tag) => tag.commit === commit)) return 'tag';
  const since = committedAt === null ? 0 : Date.parse(committedAt) - MAX_CLOCK_SKEW_MS;
  const timeOf = (ref: HostedRef): number => (ref.at === null ? Number.POSITIVE_INFINITY : Date.parse(ref.at));
  const own = new Set(branches.map((branch) => branch.commit));
  const tips = new Map([...branches, ...tags].map((ref) => [ref.commit, timeOf(ref)]));
  const later = [...tips].filter(([tip, time]) => tip !== head && time >= since).sort(([, a], [, b]) => a - b);
  for (const [tip] of later.slice(0, MAX_COMPARISONS)) {
    if (await source.contains(at, tip, commit)) return own.has(tip) ? 'branch' : 'tag';
  }
  if (later.length > MAX_COMPARISONS || !allTags || !allBranches) throw new TooLarge();
  return 'none';
}

function refsOf({ tags, branches, allTags }: HostedRepository): Refs {
  const named = ({ name, commit }: HostedRef) => ({ name, commit });
  return { tags: tags.map(named), branches: branches.map(named), ...(allTags ? {} : { partial: true }) };
}

function toObservation(row: ActionHistory['observations'][number]): RefObservation {
  return { ref: row.ref, commit: row.commit, firstSeen: row.first_seen_at, lastSeen: row.last_seen_at };
}

function toWitness(row: ActionHistory['identities'][number], at: RepositoryName): IdentityWitness {
  return { ...at, repositoryId: Number(row.scm_id), ownerId: Number(row.owner_scm_id), at: row.at };
}

class TooLarge extends Error {}

async function fetchBy<T>(read: () => Promise<T>, deadline: number): Promise<Fetched<T>> {
  try {
    return { value: await inTime(read(), deadline) };
  } catch (error) {
    return { unknown: reasonOf(error) };
  }
}

function reasonOf(error: unknown): UnknownReason {
  if (error instanceof TooLarge) return 'too_large';
  if (!(error instanceof AppError)) throw error;
  return error.retryAfterSeconds === undefined ? 'fetch_failed' : 'rate_limited';
}

async function inTime<T>(reading: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('scm-unreachable', 'The code host took too long to answer.')),
      Math.max(0, deadline - performance.now()),
    );
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    reading.catch(() => {});
  }
}

function map<T, U>(fetched: Fetched<T>, change: (value: T) => U): Fetched<U> {
  return 'value' in fetched ? { value: change(fetched.value) } : fetched;
}

function flat<T>(fetched: Fetched<T | null>, reason: UnknownReason): Fetched<T> {
  if (!('value' in fetched)) return fetched;
  return fetched.value === null ? { unknown: reason } : { value: fetched.value };
}
