import type { NetworkFacts, SettingsFacts, Source } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { InputFile } from '#lib/workflow/repository.ts';

export interface RepositorySnapshot {
  readonly scmId: string;
  /** Canonical `owner/name`, also if requested under a former one. */
  readonly fullName: string;
  readonly htmlUrl: string;
  readonly visibility: 'public' | 'private' | 'internal';
  readonly archived: boolean;
  readonly empty: boolean;
  readonly defaultBranch: string | null;
  readonly commit: string | null;
  readonly files: readonly InputFile[];
  readonly workflowFiles: number;
  readonly unread: readonly string[];
}

/**
 * Access to the code host. All methods throw AppError: `not-found` for missing or invisible, `scm-unreachable` (with
 * `retryAfterSeconds` for a limit) for anything transient.
 */
export interface CodeHost {
  /** Reads a public repository in at most two requests. Private and internal ones are `not-found`. */
  readPublicRepository(owner: string, name: string): Promise<RepositorySnapshot>;
  /** Reads any repository that the token sees, in at most two requests; the default branch without a ref. */
  readRepository(owner: string, name: string, ref?: string): Promise<RepositorySnapshot>;
  /** Reads the settings visible to the token. Never throws. */
  readSettings(owner: string, name: string): Promise<Source<SettingsFacts>>;
  /** Looks up facts about actions within a budget of its own. Never throws for transient errors. */
  readActions(
    used: readonly UsedAction[],
    options?: {
      readonly publicOnly?: boolean;
      readonly timeLimitMs?: number;
    },
  ): Promise<Source<NetworkFacts>>;
  readonly actionSource: ActionSource;
}

export interface Installation {
  readonly id: string;
  readonly account: string;
  readonly accountId: string;
  readonly accountType: 'User' | 'Organization';
  readonly suspended: boolean;
}

export interface ListedRepository {
  readonly scmId: string;
  readonly fullName: string;
  readonly private: boolean;
  readonly htmlUrl: string;
  readonly defaultBranch: string | null;
  readonly archived: boolean;
}

export interface Person {
  readonly id: string;
  readonly login: string;
}

export interface RepositoryPlace {
  readonly scmId: string;
  readonly fullName: string;
}

export interface PullRequestPlace extends RepositoryPlace {
  readonly number: number;
}

export interface PullRequestState {
  readonly scmId: string;
  readonly number: number;
  readonly state: 'open' | 'closed' | 'merged';
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
  readonly mergeCommit: string | null;
}

export interface KnownTree {
  readonly tree: string;
}

export type RepositoryRead =
  | { readonly unchanged: true; readonly head: RepositoryHead }
  | { readonly unchanged: false; readonly head: RepositoryHead; readonly snapshot: RepositorySnapshot };

export interface RepositoryHead {
  readonly scmId: string;
  readonly fullName: string;
  readonly htmlUrl: string;
  readonly private: boolean;
  readonly defaultBranch: string | null;
  readonly commit: string | null;
  readonly archived: boolean;
  readonly fork: boolean;
  readonly disabled: boolean;
  readonly empty: boolean;
  /** Opaque; changes exactly when the input of a scan may have changed. */
  readonly tree: string;
}

/** Files of both sides of a change; only the merge base if it concerns none that a scan reads. */
export type ChangeRead =
  | { readonly isRelevant: false; readonly mergeBase: string }
  | {
      readonly isRelevant: true;
      readonly mergeBase: string;
      readonly visibility: RepositorySnapshot['visibility'];
      readonly base: readonly InputFile[];
      readonly head: readonly InputFile[];
      /** Files of the head that were not read and may have changed. */
      readonly unread: readonly string[];
    };

export interface CheckAnnotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  /** Only within one line. */
  readonly start_column?: number;
  readonly end_column?: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

export interface CheckRun {
  readonly name: string;
  readonly head: string;
  readonly externalId: string;
  readonly conclusion: 'success' | 'neutral' | 'failure';
  readonly detailsUrl: string;
  readonly startedAt: string;
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
}

export interface CodeHostAppOptions {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly webUrl: string;
  readonly app: {
    readonly id: string;
    readonly privateKey: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  readonly timeoutMs?: number;
  readonly holdsAllActions?: boolean;
}

/** An attempt to deliver; all attempts of one delivery have its guid. */
export interface PastDelivery {
  readonly id: string;
  readonly guid: string;
  readonly event: string;
  readonly deliveredAtMs: number;
}

/**
 * Access to the code host as a GitHub App. Errors as in CodeHost; `scm-unreachable` also for suspended installations
 * and refused credentials. Never repeats a write.
 */
export interface CodeHostApp {
  findInstallation(installationId: string): Promise<Installation | null>;
  listRepositories(installationId: string): Promise<readonly ListedRepository[]>;
  /**
   * Reads a repository by number, trying the name first, so that renames, transfers and reused names are handled.
   * `not-found` if the installation cannot see it any more. A public repository removed from the installation is still
   * readable; only the list shows the removal.
   */
  readRepository(installationId: string, at: RepositoryPlace, known?: KnownTree): Promise<RepositoryRead>;
  readSettings(installationId: string, at: RepositoryPlace): Promise<Source<SettingsFacts>>;
  readActions(installationId: string, used: readonly UsedAction[]): Promise<Source<NetworkFacts>>;
  /**
   * Reads files at a commit in one request: undefined for binary files, no entry for missing ones. Never throws for
   * transient errors.
   */
  readTexts(
    installationId: string,
    at: RepositoryPlace & { readonly commit: string },
    paths: readonly string[],
  ): Promise<Source<ReadonlyMap<string, string | undefined>>>;
  maySetChecks(installationId: string): Promise<boolean>;
  mayAskForChecks(): Promise<boolean>;
  /** Reads the merge base of two commits and the head, forks included. `not-found` if a commit is missing. */
  readChange(
    installationId: string,
    at: RepositoryPlace,
    commits: { readonly base: string; readonly head: string },
  ): Promise<ChangeRead>;
  /** Sends a completed check run, in one request for each fifty annotations. Looks before it repeats a lost request. */
  setCheckRun(installationId: string, at: RepositoryPlace, run: CheckRun): Promise<void>;
  /** Writes fixes to a repository, whose name is the current one. All writes have to be sent by `deadline`. */
  fixWriter(
    installationId: string,
    at: RepositoryPlace,
    options: { readonly budget: WriteBudget; readonly deadline: number },
  ): FixWriter;
  /**
   * Reads the states of pull requests, 50 per request, and yields each response. Leaves out missing pull requests and
   * those whose request failed temporarily.
   */
  readPullRequests(
    installationId: string,
    wanted: readonly PullRequestPlace[],
  ): AsyncIterable<readonly PullRequestState[]>;
  /** Yields the pages of the app's deliveries, newest first and bounded: all, or those not answered with success. */
  listDeliveries(which: 'all' | 'failed'): AsyncIterable<readonly PastDelivery[]>;
  redeliver(deliveryId: string): Promise<void>;
  isOrganizationAdmin(installationId: string, organization: string, personId: string): Promise<boolean>;
  /**
   * Returns the person behind a sign-in code, and if they administer `organization` (false for null). Null for a bad
   * code. Discards the person's token.
   */
  readAuthorization(
    code: string,
    organization: string | null,
  ): Promise<{ readonly person: Person; readonly administers: boolean } | null>;
}

export interface HostedRef {
  readonly name: string;
  readonly commit: string;
  readonly at: string | null;
}

/** The public repository of an action, with its newest four hundred tags and first hundred branches. Dates are RFC 3339. */
export interface HostedRepository {
  readonly scmId: string;
  readonly owner: string;
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  readonly ownerScmId: string | null;
  readonly ownerCreatedAt: string | null;
  readonly archived: boolean;
  readonly stars: number;
  readonly license: string | null;
  readonly securityPolicy: boolean;
  readonly head: string | null;
  readonly headAt: string | null;
  readonly authors: readonly { readonly key: string; readonly bot: boolean }[];
  readonly allAuthors: boolean;
  readonly tags: readonly HostedRef[];
  readonly allTags: boolean;
  readonly branches: readonly HostedRef[];
  readonly allBranches: boolean;
}

export interface TreeFile {
  readonly path: string;
  readonly oid: string;
  readonly bytes: number;
}

export interface HostedAdvisory {
  readonly ghsa_id: string;
  readonly type: string;
  readonly severity: string;
  readonly published_at: string;
  readonly withdrawn_at: string | null;
  readonly cwes: readonly { readonly cwe_id: string }[];
  readonly vulnerabilities: readonly {
    readonly package: { readonly name: string };
    readonly vulnerable_version_range: string | null;
  }[];
}

/**
 * Reads one action's repository (undefined if it is missing or private), the authors of its commits `since` a time, and its
 * newest thirty releases. `verified` is null if the commit is unknown. All methods throw `scm-unreachable` for transient
 * failures.
 */
export interface ActionSource {
  readRepository(owner: string, name: string, since: string): Promise<HostedRepository | undefined>;
  readTree(
    at: { readonly owner: string; readonly name: string },
    commit: string,
  ): Promise<{ readonly files: readonly TreeFile[]; readonly truncated: boolean }>;
  readTexts(
    at: { readonly owner: string; readonly name: string },
    commit: string,
    files: readonly TreeFile[],
  ): Promise<{
    readonly texts: ReadonlyMap<string, string>;
    readonly committedAt: string | null;
    readonly verified: boolean | null;
  }>;
  readReleases(at: {
    readonly owner: string;
    readonly name: string;
  }): Promise<readonly { tag: string; draft: boolean; immutable: boolean; publishedAt: string | null }[]>;
  readAdvisories(at: { readonly owner: string; readonly name: string }): Promise<readonly HostedAdvisory[]>;
  contains(at: { readonly owner: string; readonly name: string }, tip: string, commit: string): Promise<boolean>;
}

export interface FixPlace {
  readonly file: string;
  readonly branch: string;
}

export interface BranchHead {
  readonly commit: string;
  readonly message: string;
  readonly author: string;
  readonly commitsAhead: number | null;
}

export interface FoundPull {
  readonly id: string;
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed';
  /** Login without `[bot]`; empty for a deleted account. */
  readonly author: string;
  readonly base: string;
  readonly openedAt: string;
  readonly message: string;
}

export interface FixBranch extends FixPlace {
  readonly head: BranchHead | undefined;
  readonly blobId: string | undefined;
  readonly preparedBranch: string;
  readonly preparedHead: BranchHead | undefined;
  /** Pull requests of the repository's own branch, newest first. */
  readonly pulls: readonly FoundPull[];
}

export interface FixBranches {
  readonly head: RepositoryHead;
  readonly repositoryId: string;
  readonly isUnchanged: boolean;
  readonly branches: readonly FixBranch[];
  readonly labelIds: readonly string[];
}

export interface FixCommit {
  readonly repositoryId: string;
  readonly fullName: string;
  readonly branch: string;
  readonly expectedHead: string | undefined;
  readonly base: string;
  readonly file: string;
  readonly text: string;
  readonly headline: string;
  readonly body: string;
}

export interface PullText {
  readonly title: string;
  readonly body: string;
}

export interface NewPull extends PullText {
  readonly file: string;
  readonly repositoryId: string;
  readonly branch: string;
  readonly base: string;
}

export interface FixReplacement {
  readonly file: string;
  readonly repositoryId: string;
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly preparedBranch: string;
  readonly pullId: string;
  readonly text: PullText;
}

/**
 * `stale`: another writer was faster. `lost`: the answer was lost, so the write may have happened. After both, read
 * again.
 */
export type WriteRefusal = 'stale' | 'lost' | 'forbidden' | 'protected' | 'invalid';

export interface FixWritten {
  readonly commit: string | undefined;
  readonly pull:
    | { readonly id: string; readonly number: number; readonly url: string; readonly openedAt: string }
    | undefined;
  readonly refused: WriteRefusal | undefined;
}

/**
 * Keeps the code host's limits on writes, for all processes that share an installation. `reserve` returns how long to wait
 * before one write, or for how many seconds none is available if that is too long.
 */
export interface WriteBudget {
  reserve(
    installationId: string,
    maxWaitMs: number,
  ): Promise<{ readonly waitMs: number } | { readonly exhaustedSeconds: number }>;
  pause(installationId: string, seconds: number): Promise<void>;
}

/**
 * Writes fixes to one repository. Throws AppError as CodeHostApp does, but not for refusals, which it returns.
 */
export interface FixWriter {
  missingPermissions(files: readonly string[]): Promise<readonly string[]>;
  readBranches(
    places: readonly FixPlace[],
    known: { readonly base: string; readonly tree: string },
  ): Promise<FixBranches>;
  /** Makes or moves the branch, commits, and opens a pull request if one is given, in one request. */
  commit(commit: FixCommit, pull?: NewPull): Promise<FixWritten>;
  open(pull: NewPull): Promise<FixWritten>;
  /** Moves a branch from one commit to a prepared one, removes the prepared branch, and describes the pull request anew. */
  replace(change: FixReplacement): Promise<FixWritten>;
  label(labelling: {
    readonly pullIds: readonly string[];
    readonly labels: readonly string[];
    readonly files: readonly string[];
  }): Promise<void>;
}
