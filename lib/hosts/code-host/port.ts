import type { NetworkFacts, SettingsFacts, Source } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import type { InputFile } from '#lib/workflow/repository.ts';

export interface RepositorySnapshot {
  /** Number at the code host, stable across renames. */
  readonly scmId: string;
  /** Canonical `owner/name`, also if requested under a former one. */
  readonly fullName: string;
  readonly htmlUrl: string;
  readonly visibility: 'public' | 'private' | 'internal';
  readonly archived: boolean;
  readonly empty: boolean;
  readonly defaultBranch: string | null;
  readonly commit: string | null;
  /** An unreadable file (truncated, binary, symbolic link) has a problem instead of text. */
  readonly files: readonly InputFile[];
  readonly workflowFiles: number;
  /** Paths that the request budget left out. */
  readonly unread: readonly string[];
}

/**
 * What the service asks of the code host. Every method throws an AppError: `not-found` for what is missing or may not
 * be seen, `scm-unreachable` (with `retryAfterSeconds` for a limit) for everything that may be otherwise next time.
 */
export interface CodeHost {
  /** Reads a public repository in at most two requests. Private and internal ones are `not-found`. */
  readPublicRepository(owner: string, name: string): Promise<RepositorySnapshot>;
  /** Reads any repository that the token sees, in at most two requests. */
  readRepository(owner: string, name: string): Promise<RepositorySnapshot>;
  /** Reads settings as far as the token may. Never throws. */
  readSettings(owner: string, name: string): Promise<Source<SettingsFacts>>;
  /** Looks up facts about actions within a budget of its own. Never throws for transient errors. */
  readActions(
    used: readonly UsedAction[],
    options?: {
      /** Ignores private repositories, even if the token sees them. */
      readonly publicOnly?: boolean;
      /** No request is sent after this time. */
      readonly timeLimitMs?: number;
    },
  ): Promise<Source<NetworkFacts>>;
}

export interface Installation {
  readonly id: string;
  readonly account: string;
  /** Stable across renames, decimal digits. */
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

/** A repository by its number, which no renaming changes, and the name under which to look first. */
export interface RepositoryPlace {
  readonly scmId: string;
  readonly fullName: string;
}

/** The tree of a former scan, so that unchanged files are not read again. */
export interface KnownTree {
  readonly tree: string;
}

export type RepositoryRead =
  /** The tree is the known one; no file was read. */
  | { readonly unchanged: true; readonly head: RepositoryHead }
  | { readonly unchanged: false; readonly head: RepositoryHead; readonly snapshot: RepositorySnapshot };

export interface RepositoryHead {
  readonly scmId: string;
  readonly fullName: string;
  readonly htmlUrl: string;
  /** True for `internal` too. */
  readonly private: boolean;
  readonly defaultBranch: string | null;
  readonly commit: string | null;
  readonly archived: boolean;
  readonly fork: boolean;
  readonly disabled: boolean;
  readonly empty: boolean;
  /** Changes exactly when something that a scan reads may have changed; of an empty repository, a fixed text. Opaque. */
  readonly tree: string;
}

export interface CodeHostAppOptions {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** Where people sign in, such as `https://github.com`. */
  readonly webUrl: string;
  readonly app: {
    readonly id: string;
    readonly privateKey: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  /** Per attempt, until the last byte of the answer. */
  readonly timeoutMs?: number;
  /** True if a missing action exists nowhere else; defaults to true for github.com and false for Enterprise Server. */
  readonly holdsAllActions?: boolean;
}

/**
 * What the service asks of the code host as the app. Errors are CodeHost's: `scm-unreachable` also when an installation
 * is suspended or its credentials are refused. No write is ever sent twice.
 */
export interface CodeHostApp {
  /** Returns null for an unknown installation. */
  findInstallation(installationId: string): Promise<Installation | null>;
  /** Lists all repositories that the installation sees, in the code host's order. */
  listRepositories(installationId: string): Promise<readonly ListedRepository[]>;
  /**
   * One repository by its number: the name is where to look first, and a repository that moved, was renamed or whose
   * name somebody else took is found by its number. `not-found` when the installation does not see it any more: it is
   * gone, belongs to another account, or is private and was taken from the installation. A public one that was taken
   * from it but stays with the account is still read; only the list of repositories tells that it left.
   */
  readRepository(installationId: string, at: RepositoryPlace, known?: KnownTree): Promise<RepositoryRead>;
  /** Settings as far as the installation's permissions allow; asks only what is granted. */
  readSettings(installationId: string, at: RepositoryPlace): Promise<Source<SettingsFacts>>;
  /** What rules want to know of the actions that workflows use, within a budget of its own. Never throws for trouble. */
  readActions(installationId: string, used: readonly UsedAction[]): Promise<Source<NetworkFacts>>;
  /**
   * Texts of files at a commit, by path, in one request; of a file that is not text, undefined, and nothing of one that is
   * not there. Never throws for trouble.
   */
  readTexts(
    installationId: string,
    at: RepositoryPlace & { readonly commit: string },
    paths: readonly string[],
  ): Promise<Source<ReadonlyMap<string, string | undefined>>>;
  /** True if the user with this number administers the organization; uses the installation's token. */
  isOrganizationAdmin(installationId: string, organization: string, personId: string): Promise<boolean>;
  /**
   * The person who came back from the code host with this code, and whether they administer `organization` (null: not
   * asked, and false). null when the code is no good. The person's own token is dropped at once.
   */
  readAuthorization(
    code: string,
    organization: string | null,
  ): Promise<{ readonly person: Person; readonly administers: boolean } | null>;
}
