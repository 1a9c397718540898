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

/** Settings of the scanned repository. A field that could not be read is undefined. */
export interface SettingsFacts {
  readonly defaultWorkflowPermissions?: 'read' | 'write';
  readonly canApprovePullRequests?: boolean;
}

/** A source of facts, or why there is none. */
export type Source<T> = { readonly value: T } | { readonly missing: NotAssessedReason };

/** What the files themselves do not tell. Passed in: the engine asks nobody. */
export interface Facts {
  /** By `owner/repo` in lower case. */
  readonly network: Source<{ readonly actions: ReadonlyMap<string, ActionFacts> }>;
  readonly settings: Source<SettingsFacts>;
}

export const NO_FACTS: Facts = { network: { missing: 'offline' }, settings: { missing: 'offline' } };
