import type { Settings } from './settings.ts';

export type NotAssessedReason =
  | 'disabled'
  | 'not_run'
  | 'no_permission'
  | 'offline'
  | 'rate_limited'
  | 'rule_error'
  | 'unsupported_host';

export type CommitMembership = 'own' | 'foreign' | 'missing';

/**
 * Keys are ids of annotated tags in `tagObjects`, lower-case commits in `commits`, and `path@ref` in `definitions`,
 * with an empty path for the root. `absent` holds full names (`refs/tags/v1`). What is missing was not looked up.
 */
export interface ActionFacts {
  readonly tags: ReadonlyMap<string, string>;
  readonly branches: ReadonlyMap<string, string>;
  readonly tagObjects?: ReadonlyMap<string, string>;
  readonly archived?: boolean;
  readonly partial?: ReadonlySet<'tags' | 'branches'>;
  readonly absent?: ReadonlySet<string>;
  readonly renamed?: {
    readonly to: string;
    readonly formerOwner: 'exists' | 'absent' | undefined;
  };
  readonly commits?: ReadonlyMap<string, CommitMembership>;
  readonly dates?: ReadonlyMap<string, number>;
  readonly definitions?: ReadonlyMap<string, string>;
}

export interface Unread {
  readonly what: 'network' | 'commits' | 'definitions' | 'published' | 'scores';
  readonly name: string;
  readonly reason: NotAssessedReason;
}

export interface NetworkFacts {
  readonly at?: number;
  readonly actions: ReadonlyMap<string, ActionFacts>;
  readonly missing?: ReadonlyMap<string, { readonly owner: 'exists' | 'absent' | undefined }>;
  readonly unread?: readonly Unread[];
}

export interface ObservedTag {
  readonly commit: string;
  readonly at: string;
}

export interface Score {
  readonly score: number;
  readonly at: string;
}

/** Score of an action's newest release; `refs` has those of the versions that used refs name. */
export interface ActionScore extends Score {
  readonly refs?: ReadonlyMap<string, Score>;
}

export interface PublishedVersion {
  readonly registry: 'npm' | 'PyPI';
  readonly name: string;
  readonly version: string;
  readonly provenance: boolean;
  /** Repositories that the registry names as origin, as lower-case `owner/name`. */
  readonly sources: ReadonlySet<string>;
}

export interface PublishedFacts {
  readonly versions: ReadonlyMap<string, readonly PublishedVersion[]>;
  readonly unread?: readonly Unread[];
}

export type ImageDigests = ReadonlyMap<string, Source<string>>;

export type SettingsFacts = { readonly [Field in keyof Settings]?: Source<Settings[Field]> };

export type Source<T> = { readonly value: T } | { readonly missing: NotAssessedReason };

/** What files alone cannot tell. The engine performs no lookups; an omitted source counts as `offline`. */
export interface Facts {
  readonly network: Source<NetworkFacts>;
  readonly settings: Source<SettingsFacts>;
  readonly observations?: Source<ReadonlyMap<string, ReadonlyMap<string, ObservedTag>>>;
  readonly scores?: Source<ReadonlyMap<string, ActionScore>>;
  readonly published?: Source<PublishedFacts>;
  readonly images?: Source<ImageDigests>;
}

export const NO_FACTS: Facts = { network: { missing: 'offline' }, settings: { missing: 'offline' } };

export function settingOf<Field extends keyof Settings>({ settings }: Facts, field: Field): Source<Settings[Field]> {
  if ('missing' in settings) return settings;
  return settings.value[field] ?? { missing: 'offline' };
}

export function known<Field extends keyof Settings>(facts: Facts, field: Field): Settings[Field] | undefined {
  const source = settingOf(facts, field);
  return 'value' in source ? source.value : undefined;
}

export function knownSettings(settings: Partial<Settings>): Facts {
  const value = Object.fromEntries(Object.entries(settings).map(([field, each]) => [field, { value: each }]));
  return { ...NO_FACTS, settings: { value } };
}

/** Facts in which actions (`owner/name@ref`, `owner/name/path@ref`) have these definitions. */
export function knownDefinitions(texts: Readonly<Record<string, string>>): Facts {
  const definitions = new Map<string, Map<string, string>>();
  for (const [use, text] of Object.entries(texts)) {
    const [owner = '', name = '', ...path] = use.slice(0, use.indexOf('@')).split('/');
    const slug = `${owner}/${name}`.toLowerCase();
    const own = definitions.get(slug) ?? new Map<string, string>();
    definitions.set(slug, own.set(`${path.join('/')}${use.slice(use.indexOf('@'))}`, text));
  }
  const actions = [...definitions].map(
    ([slug, own]) => [slug, { tags: new Map(), branches: new Map(), definitions: own }] as const,
  );
  return { ...NO_FACTS, network: { value: { actions: new Map(actions) } } };
}

/** Returns the commit of a tag or branch; null if it does not exist, undefined if unknown. */
export function commitNamed(facts: ActionFacts, kind: 'tags' | 'branches', name: string): string | null | undefined {
  const found = facts[kind].get(name);
  if (found !== undefined) return found;
  const full = `refs/${kind === 'tags' ? 'tags' : 'heads'}/${name}`;
  return facts.partial?.has(kind) === true && facts.absent?.has(full) !== true ? undefined : null;
}
