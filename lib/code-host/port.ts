import type { InputFile } from '../workflow/repository.ts';

/** One repository at one commit, as far as a scan reads it. */
export interface RepositorySnapshot {
  /** The code host's own number for it, which no renaming changes. */
  readonly scmId: string;
  /** The canonical `owner/name`, also when it was asked for under a former one. */
  readonly fullName: string;
  readonly htmlUrl: string;
  readonly visibility: 'public' | 'private' | 'internal';
  readonly archived: boolean;
  /** Has no commit on its default branch. */
  readonly empty: boolean;
  readonly defaultBranch: string | null;
  /** The default branch's head that the files are of. */
  readonly commit: string | null;
  /** A file that may not be read (truncated, binary, a symbolic link) carries a problem instead of a text. */
  readonly files: readonly InputFile[];
  /** How many of them are workflows. */
  readonly workflowFiles: number;
  /** Paths that a scan would have read and the budget of requests left out. */
  readonly unread: readonly string[];
}

/**
 * What the service asks of the code host. Every method throws an AppError: `not-found` for what is missing or may not
 * be seen, `scm-unreachable` (with `retryAfterSeconds` for a limit) for everything that may be otherwise next time.
 */
export interface CodeHost {
  /** A public repository, in at most two requests. A private or internal one is `not-found`, whatever the token sees. */
  readPublicRepository(owner: string, name: string): Promise<RepositorySnapshot>;
  /** Any repository that the token sees, in at most two requests. */
  readRepository(owner: string, name: string): Promise<RepositorySnapshot>;
}
