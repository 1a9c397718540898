import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { FactName } from './facts.ts';

export type ComboSeverity = 'CRITICAL' | 'HIGH' | 'MEDIUM';

/** Worst first. */
export const COMBO_SEVERITIES: readonly ComboSeverity[] = ['CRITICAL', 'HIGH', 'MEDIUM'];

type Value = string | boolean;

/**
 * What evidence must be like: each name is an attribute, or `message`, `severity` or `confidence` of a finding. A list
 * allows several values; an attribute that is a list itself fits when one of its items does. There is no negation:
 * more evidence can then never undo a match.
 */
export type Filter = Readonly<Record<string, Value | readonly Value[]>>;

/** One kind of evidence: the findings of a rule, or a fact that the engine always extracts. */
export type Source =
  | { readonly rule: string; readonly atLeast?: Severity; readonly where?: Filter }
  | { readonly fact: FactName; readonly where?: Filter };

/** A place in the pattern, filled by evidence of any of its sources. */
export interface Slot {
  readonly any: readonly Source[];
  /** Evidence that is shown when it is there, and that the combination does without. */
  readonly optional?: true;
}

/**
 * How the evidence of the slots is joined. Evidence about a whole file or repository counts in each of its jobs,
 * and evidence about an action in each job that uses it.
 */
export type Join<Name extends string = string> =
  | { readonly same: 'step' | 'job' | 'file' | 'repository' }
  /** The slots of `from` meet in one job, all others in another one, and `by` leads from the first to the second. */
  | {
      readonly from: readonly Name[];
      /**
       * `artifact`: the second takes what the first uploads. `cache`: the second may restore what the first saves. `call`:
       * the first calls the file of the second, or the action in it. `repository`: whoever controls the first reaches the second.
       */
      readonly by: 'artifact' | 'cache' | 'call' | 'repository';
    };

/** Lowers the severity, by two steps in all at most and never below MEDIUM. */
export interface Modifier<Name extends string = string> {
  readonly lower: 1 | 2;
  /** Unless some evidence of the slot is like this; a list means like one of these. */
  readonly unless?: { readonly slot: Name; readonly where: Filter | readonly Filter[] };
  /** Only for a repository or code host of which this is known. */
  readonly when?: 'private' | 'caches-read-only';
  /** Why, as a sentence for the report. */
  readonly because: string;
}

export interface Stage<Name extends string = string> {
  /** Whose rule the stage names; a stage of the attacker's own has none. */
  readonly slot?: Name;
  readonly title: string;
  readonly description: string;
}

export interface ComboExample {
  /** A workflow, or files by path. */
  readonly yaml: string | Readonly<Record<string, string>>;
  /** Findings that need more than files, in the form they are stored in. */
  readonly findings?: readonly {
    readonly ruleId: string;
    readonly message?: string;
    readonly severity?: Severity;
    readonly file?: string;
    readonly job?: string;
    readonly step?: number;
    readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  }[];
  /** The severity expected when it is not the definition's. */
  readonly severity?: ComboSeverity;
}

export interface Combo<Name extends string = string> {
  /** The file's name: kebab-case. Never renamed. */
  readonly id: string;
  /** Without a final stop. */
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly slots: Readonly<Record<Name, Slot>>;
  readonly join: Join<NoInfer<Name>>;
  /** Pairs of slots: some evidence of the first comes in an earlier step than some of the second. */
  readonly order?: readonly (readonly [NoInfer<Name>, NoInfer<Name>])[];
  readonly modifiers?: readonly Modifier<NoInfer<Name>>[];
  /** From the outside in. */
  readonly stages: readonly Stage<NoInfer<Name>>[];
  readonly impact: string;
  /** What ends the chain, and the slot whose findings are gone then. It holds findings only, so that it is a cut. */
  readonly breakChain: { readonly text: string; readonly slot: NoInfer<Name> };
  /** Where it was seen, or who described it: official advisories and write-ups. */
  readonly references: readonly string[];
  readonly since: string;
  readonly examples: { readonly bad: readonly ComboExample[]; readonly good: readonly ComboExample[] };
}

/** Types slots by their names; the registry sees plain combinations. */
export function defineCombo<const Name extends string>(combo: Combo<Name>): Combo {
  return combo;
}

/** Something in the job is worth taking: a secret, the token, an identity, or a machine that later jobs use. */
export const CREDENTIAL: Slot = {
  any: [{ fact: 'secret-use' }, { fact: 'token-write' }, { fact: 'id-token-write' }, { fact: 'own-runner' }],
};

/** The same where only what opens other systems counts. */
export const FOREIGN_CREDENTIAL: Slot = { any: [{ fact: 'secret-use' }, { fact: 'id-token-write' }] };

/** What publishes or deploys elsewhere. */
export const RELEASE_CREDENTIAL: Slot = {
  any: [{ fact: 'secret-use', where: { kind: ['publish-token', 'env-secret'] } }, { fact: 'id-token-write' }],
};

/** For {@link CREDENTIAL}: a token that writes comments only, or by an unknown default, is less to lose. */
export const WEAK_CREDENTIAL = {
  lower: 1,
  unless: { slot: 'credential', where: { strength: 'strong' } },
  because: 'All there is to take is a token that changes conversation only, or one whose rights the files do not say.',
} as const;

/** Findings that show where a credential is wider than need be. */
export const LOOSE_CREDENTIAL: Slot = {
  optional: true,
  any: [
    { rule: 'excessive-permissions', atLeast: 'MEDIUM' },
    { rule: 'overprovisioned-secrets' },
    { rule: 'secrets-inherit', atLeast: 'MEDIUM' },
    { rule: 'id-token-broad-scope' },
    { rule: 'artipacked', atLeast: 'MEDIUM' },
    { rule: 'oidc-exposed-to-untrusted-trigger' },
  ],
};
