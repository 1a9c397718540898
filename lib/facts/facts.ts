import type { Settings } from './settings.ts';

/** Why a rule was not assessed. */
export type NotAssessedReason =
  | 'disabled'
  | 'not_run'
  | 'no_permission'
  | 'offline'
  | 'rate_limited'
  | 'rule_error'
  | 'unsupported_host';

/** How a commit belongs to a repository: through a branch or tag, through a fork only, or not at all. */
export type CommitMembership = 'own' | 'foreign' | 'missing';

/** What the code host says of a repository that an action reference names. */
export interface ActionFacts {
  /** Tags with the commit each names (annotated tags peeled); lower-case hexadecimal. */
  readonly tags: ReadonlyMap<string, string>;
  readonly branches: ReadonlyMap<string, string>;
  /** Annotated tags: the id of the tag object with the commit it names. Undefined when they were not asked for. */
  readonly tagObjects?: ReadonlyMap<string, string>;
  readonly archived?: boolean;
  /** Lists that do not hold all there is: a name that is not in them may exist all the same. */
  readonly partial?: ReadonlySet<'tags' | 'branches'>;
  /** Full names (`refs/tags/v1`) that were asked for by name and are not there. */
  readonly absent?: ReadonlySet<string>;
  /** Set when the repository goes by another name now and is found through a redirect. */
  readonly renamed?: {
    /** `owner/repo`. */
    readonly to: string;
    /** True if an account with the former owner's name exists; undefined if not looked up. */
    readonly formerOwner: 'exists' | 'absent' | undefined;
  };
  /** Commits that references name, in lower case. One that is not in it is unknown. */
  readonly commits?: ReadonlyMap<string, CommitMembership>;
  /** When commits that tags and branches name were made, in milliseconds since 1970, as they say themselves. */
  readonly dates?: ReadonlyMap<string, number>;
  /** Texts of action definitions and reusable workflows by `path@ref`, path empty for the root. */
  readonly definitions?: ReadonlyMap<string, string>;
}

/**
 * What could not be learnt: of the code host a repository, one commit's membership, or one definition's text; of a package
 * registry, a package.
 */
export interface Unread {
  readonly what: 'network' | 'commits' | 'definitions' | 'published';
  /** `owner/repo`, with what of it: `owner/repo@commit`; a registry with the package. For people. */
  readonly name: string;
  readonly reason: NotAssessedReason;
}

export interface NetworkFacts {
  /** When the code host was asked, in milliseconds since 1970. */
  readonly at?: number;
  /** By `owner/repo` in lower case. */
  readonly actions: ReadonlyMap<string, ActionFacts>;
  /** Repositories that are not there for whoever asked, and whether their owner's account is. */
  readonly missing?: ReadonlyMap<string, { readonly owner: 'exists' | 'absent' | undefined }>;
  /** What was wanted and stayed unknown: rules that need it are not assessed completely. */
  readonly unread?: readonly Unread[];
}

/** A tag as it was seen before, by whoever keeps such observations. */
export interface ObservedTag {
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
}

/** How trustworthy an action looks, as a scorer has judged it. */
export interface ActionScore {
  /** 0 (worst) to 100. */
  readonly score: number;
  /** RFC 3339. */
  readonly at: string;
}

/** The newest version of a package, as its registry shows it. */
export interface PublishedVersion {
  readonly registry: 'npm' | 'PyPI';
  readonly name: string;
  readonly version: string;
  /** True if the registry shows a build attestation. */
  readonly provenance: boolean;
  /** `owner/name` in lower case: the repositories that the registry names as where the package comes from. */
  readonly sources: ReadonlySet<string>;
}

export interface PublishedFacts {
  /** By the path of the workflow that publishes them; those that registries do not have are left out. */
  readonly versions: ReadonlyMap<string, readonly PublishedVersion[]>;
  /** What was wanted and stayed unknown: the rule that needs it is not assessed completely. */
  readonly unread?: readonly Unread[];
}

/** By image as it is written, the digest (`sha256:…`) of what its tag names now, or why nobody knows. */
export type ImageDigests = ReadonlyMap<string, Source<string>>;

/** Settings of the scanned repository, each field known or with the reason why it is not. */
export type SettingsFacts = { readonly [Field in keyof Settings]?: Source<Settings[Field]> };

/** A source of facts, or why there is none. */
export type Source<T> = { readonly value: T } | { readonly missing: NotAssessedReason };

/**
 * What the files themselves do not tell. Passed in: the engine asks nobody. A source that is left out is one that
 * nobody connected, which reads as `offline`.
 */
export interface Facts {
  readonly network: Source<NetworkFacts>;
  readonly settings: Source<SettingsFacts>;
  /** Tags by `owner/repo` in lower case, then by name, as they were when first seen. */
  readonly observations?: Source<ReadonlyMap<string, ReadonlyMap<string, ObservedTag>>>;
  /** By `owner/repo` in lower case. */
  readonly scores?: Source<ReadonlyMap<string, ActionScore>>;
  /** The newest version of each package that the repository publishes. */
  readonly published?: Source<PublishedFacts>;
  /** What registries tell of images without a digest; only fixes ask for it. */
  readonly images?: Source<ImageDigests>;
}

export const NO_FACTS: Facts = { network: { missing: 'offline' }, settings: { missing: 'offline' } };

/** One field of the settings; `offline` when nobody asked for it. */
export function settingOf<Field extends keyof Settings>({ settings }: Facts, field: Field): Source<Settings[Field]> {
  if ('missing' in settings) return settings;
  return settings.value[field] ?? { missing: 'offline' };
}

/** What a field of the settings says; undefined when nobody knows. */
export function known<Field extends keyof Settings>(facts: Facts, field: Field): Settings[Field] | undefined {
  const source = settingOf(facts, field);
  return 'value' in source ? source.value : undefined;
}

/** Facts in which these settings are known and no others: for examples of rules. */
export function knownSettings(settings: Partial<Settings>): Facts {
  const value = Object.fromEntries(Object.entries(settings).map(([field, each]) => [field, { value: each }]));
  return { ...NO_FACTS, settings: { value } };
}

/**
 * The commit that a tag or branch names; null when there is none of that name, undefined when nobody knows.
 */
export function commitNamed(facts: ActionFacts, kind: 'tags' | 'branches', name: string): string | null | undefined {
  const found = facts[kind].get(name);
  if (found !== undefined) return found;
  const full = `refs/${kind === 'tags' ? 'tags' : 'heads'}/${name}`;
  return facts.partial?.has(kind) === true && facts.absent?.has(full) !== true ? undefined : null;
}
