import type { Fetched } from './signal.ts';

/** What a collector learnt of one action at one commit. Dates are RFC 3339; commits are lower-case hexadecimal. */
export interface CollectedFacts {
  readonly asOf: string;
  readonly action: ActionIdentity;
  readonly tree: Fetched<ActionTree>;
  readonly refs: Fetched<Refs>;
  readonly publisherCi: Fetched<PublisherPaths>;
  readonly rebuild: Fetched<'same' | 'different'>;
  readonly repository: Fetched<RepositoryMetadata>;
  readonly owner: Fetched<OwnerMetadata>;
  readonly commits: Fetched<CommitActivity>;
  readonly community: Fetched<CommunityProfile>;
  readonly usage: Fetched<Usage>;
  readonly observations: Fetched<readonly RefObservation[]>;
  readonly identities: Fetched<readonly IdentityWitness[]>;
  readonly reachability: Fetched<Reachability>;
  readonly releases: Fetched<readonly Release[]>;
  readonly signature: Fetched<Signature>;
  readonly advisories: Fetched<readonly Advisory[]>;
  readonly dependencies: Fetched<readonly VulnerableDependency[]>;
}

/** Names can change owners, so identity depends on the numeric ids. */
export interface ActionIdentity {
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly commit: string;
  readonly repositoryId: number;
  readonly ownerId: number;
}

export interface ActionTree {
  readonly paths: readonly string[];
  /** Texts of the files that `isWantedFile` accepts, by path; `omitted` are too large for the reader or not text. */
  readonly files: ReadonlyMap<string, string>;
  readonly omitted: ReadonlySet<string>;
}

export interface PublisherPaths {
  readonly critical: number;
  readonly high: number;
}

export interface RepositoryMetadata {
  readonly archived: boolean;
  readonly stars: number;
}

export interface OwnerMetadata {
  readonly createdAt: string;
}

export interface CommitActivity {
  readonly latestAt: string | null;
  /** Authors of the twelve months before `asOf`. */
  readonly authors: readonly CommitAuthor[];
  readonly complete: boolean;
}

export interface CommitAuthor {
  /** Login, or the e-mail address of an author without account. */
  readonly key: string;
  readonly bot: boolean;
}

export interface CommunityProfile {
  readonly license: string | null;
  readonly securityPolicy: boolean;
}

export interface Usage {
  /** Distinct owners of scanned repositories that use the action. */
  readonly users: number;
}

/** A tag or branch, without `refs/tags/` or `refs/heads/`; annotated tags are peeled. */
export interface Ref {
  readonly name: string;
  readonly commit: string;
}

export interface Refs {
  readonly tags: readonly Ref[];
  readonly partial?: boolean;
  readonly branches: readonly Ref[];
}

export interface RefObservation {
  /** `refs/tags/v1.2.3` */
  readonly ref: string;
  readonly commit: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly onDefaultBranch?: boolean;
}

/** Ids that an `owner/name` had when it was observed or recorded in a lockfile. */
export interface IdentityWitness {
  readonly owner: string;
  readonly name: string;
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly at: string;
}

export type Reachability = 'branch' | 'tag' | 'none';

export interface Release {
  readonly tag: string;
  readonly immutable: boolean;
  readonly draft: boolean;
  readonly publishedAt: string | null;
}

export interface Signature {
  readonly verified: boolean;
}

export type AdvisorySeverity = 'critical' | 'high' | 'moderate' | 'low';

/**
 * An advisory published after `asOf` does not count. `path` is empty for the whole repository, `commits` is complete if
 * given, and any of the `ranges` (`>= 1.0.0, < 1.2.3`) suffices. In `windows` tags named affected commits for a time;
 * `to` is exclusive.
 */
export interface Advisory {
  readonly id: string;
  readonly kind: 'malware' | 'vulnerability';
  readonly severity: AdvisorySeverity;
  readonly publishedAt: string | null;
  readonly path: string;
  readonly commits?: readonly string[];
  readonly windows?: readonly {
    readonly tags: readonly string[] | 'all';
    readonly from: string;
    readonly to: string;
  }[];
  readonly ranges?: readonly string[];
}

export interface VulnerableDependency {
  readonly name: string;
  readonly version: string;
  readonly severity: AdvisorySeverity;
}
