import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { FactName } from './facts.ts';

export type ComboSeverity = 'CRITICAL' | 'HIGH' | 'MEDIUM';

export const COMBO_SEVERITIES: readonly ComboSeverity[] = ['CRITICAL', 'HIGH', 'MEDIUM'];

type Value = string | boolean;

/**
 * Required attributes of evidence, or `message`, `severity` or `confidence` of a finding; a list allows any of its
 * values. Negation is missing on purpose: more evidence must never undo a match.
 */
export type Filter = Readonly<Record<string, Value | readonly Value[]>>;

export type Source =
  | { readonly rule: string; readonly atLeast?: Severity; readonly where?: Filter }
  | { readonly fact: FactName; readonly where?: Filter };

export interface Slot {
  readonly any: readonly Source[];
  readonly optional?: true;
}

/**
 * How the evidence of the slots is joined. Evidence about a file or repository counts in each of its jobs, evidence
 * about an action in each job that uses it.
 */
export type Join<Name extends string = string> =
  | { readonly same: 'step' | 'job' | 'file' | 'repository' }
  /** Spans two jobs: the evidence of the slots in `from` is in the first, that of all others in the second. */
  | {
      readonly from: readonly Name[];
      /**
       * `artifact`: the second downloads what the first uploads. `cache`: the second may restore what the first saves.
       * `call`: the first calls the workflow or action of the second. `repository`: whoever controls the first reaches
       * the second.
       */
      readonly by: 'artifact' | 'cache' | 'call' | 'repository';
    };

/**
 * Lowers the severity, by two steps at most over all modifiers and never below MEDIUM, unless evidence in a slot matches.
 * `caches-read-only`: on code hosts on which outsiders cannot write caches.
 */
export interface Modifier<Name extends string = string> {
  readonly lower: 1 | 2;
  readonly unless?: { readonly slot: Name; readonly where: Filter | readonly Filter[] };
  readonly when?: 'private' | 'caches-read-only';
  readonly because: string;
}

export interface Stage<Name extends string = string> {
  readonly slot?: Name;
  readonly title: string;
  readonly description: string;
}

export interface ComboExample {
  readonly yaml: string | Readonly<Record<string, string>>;
  readonly findings?: readonly {
    readonly ruleId: string;
    readonly message?: string;
    readonly severity?: Severity;
    readonly file?: string;
    readonly job?: string;
    readonly step?: number;
    readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  }[];
  readonly severity?: ComboSeverity;
}

export interface Combo<Name extends string = string> {
  readonly id: string;
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly slots: Readonly<Record<Name, Slot>>;
  readonly join: Join<NoInfer<Name>>;
  readonly order?: readonly (readonly [NoInfer<Name>, NoInfer<Name>])[];
  readonly modifiers?: readonly Modifier<NoInfer<Name>>[];
  readonly stages: readonly Stage<NoInfer<Name>>[];
  readonly impact: string;
  readonly breakChain: { readonly text: string; readonly slot: NoInfer<Name> };
  readonly references: readonly string[];
  readonly since: string;
  readonly examples: { readonly bad: readonly ComboExample[]; readonly good: readonly ComboExample[] };
}

export function defineCombo<const Name extends string>(combo: Combo<Name>): Combo {
  return combo;
}

/** What makes a job worth attacking; a self-hosted runner counts because later jobs use it. */
export const CREDENTIAL: Slot = {
  any: [{ fact: 'secret-use' }, { fact: 'token-write' }, { fact: 'id-token-write' }, { fact: 'own-runner' }],
};

export const FOREIGN_CREDENTIAL: Slot = { any: [{ fact: 'secret-use' }, { fact: 'id-token-write' }] };

/** Leaves out manifests, which a cluster runs and the job does not. */
export const EXECUTED_DOWNLOAD: Source = {
  rule: 'unverified-script-exec',
  atLeast: 'MEDIUM',
  where: { kind: ['built', 'evaluated', 'piped', 'saved', 'unpacked'] },
};

export const RELEASE_CREDENTIAL: Slot = {
  any: [{ fact: 'secret-use', where: { kind: ['publish-token', 'env-secret'] } }, { fact: 'id-token-write' }],
};

export const LITTLE_IDENTITY: Slot = {
  optional: true,
  any: [
    { fact: 'id-token-write', where: { strength: ['minor', 'signs', 'unused'] } },
    { rule: 'id-token-broad-scope' },
  ],
};

export const RELEASED: Slot = {
  optional: true,
  any: [{ fact: 'publish-step', where: { kind: ['package', 'image', 'release', 'deploy'] } }],
};

export const WORTH_STEALING: readonly string[] = ['strong', 'minor'];

export const WEAK_CREDENTIAL = [
  {
    lower: 1,
    unless: { slot: 'credential', where: { strength: WORTH_STEALING } },
    because:
      'The only credential in reach is a token that can only change conversations or packages that nothing publishes, one whose permissions the files do not state, or a key that only sends data to a service.',
  },
  {
    lower: 1,
    unless: { slot: 'credential', where: { strength: [...WORTH_STEALING, 'assumed'] } },
    because: 'The files leave no token of unknown permissions in reach.',
  },
] as const;

export const MISSING_PROGRAM = {
  lower: 1,
  unless: { slot: 'checkout', where: { executes: ['true', 'likely', 'image'] } },
  because: 'GitHub’s image lacks the program that would run the code, and no step before installs it.',
} as const;

export function keysElsewhere<const Name extends string>(slot: Name): Modifier<Name> {
  return {
    lower: 1,
    unless: { slot, where: { keys_elsewhere: false } },
    because:
      'Only steps that never run on the same machine use the job’s secrets: here, they are in the runner’s memory alone.',
  };
}

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
