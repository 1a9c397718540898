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

/** What the code host says of a repository that an action reference names. */
export interface ActionFacts {
  /** Tags with the commit each names (annotated tags peeled); lower-case hexadecimal. */
  readonly tags: ReadonlyMap<string, string>;
  readonly branches: ReadonlyMap<string, string>;
  /** Annotated tags: the id of the tag object with the commit it names. Undefined when they were not asked for. */
  readonly tagObjects?: ReadonlyMap<string, string>;
}

/** Settings of the scanned repository, each field known or with the reason why it is not. */
export type SettingsFacts = { readonly [Field in keyof Settings]?: Source<Settings[Field]> };

/** A source of facts, or why there is none. */
export type Source<T> = { readonly value: T } | { readonly missing: NotAssessedReason };

/** What the files themselves do not tell. Passed in: the engine asks nobody. */
export interface Facts {
  /** By `owner/repo` in lower case. */
  readonly network: Source<{ readonly actions: ReadonlyMap<string, ActionFacts> }>;
  readonly settings: Source<SettingsFacts>;
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
