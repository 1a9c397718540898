import type { Facts, Unread } from '#lib/facts/facts.ts';
import type { Settings } from '#lib/facts/settings.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import type {
  Action,
  CallJob,
  Dependabot,
  Job,
  Lockfile,
  Step,
  UsesSite,
  Workflow,
} from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import type { RulesetLevel } from './rulesets.ts';

export type Severity = 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO';
export type Confidence = 'high' | 'medium' | 'low';
/** https://owasp.org/www-project-top-10-ci-cd-security-risks/ */
export type Category = `CICD-SEC-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;
/**
 * What a rule needs beside the files: without it the rule is not assessed, and the report says so. `commits` and
 * `definitions` are parts of the network's facts that may be missing while the rest is there. Images matter for fixes alone.
 */
export type Need = Exclude<keyof Facts, 'images'> | Unread['what'];

/** Findings that one edit makes go share one object. */
export interface Fix {
  /** `safe`: every run that was legitimate before still does the same. `review`: a person should look. */
  readonly safety: 'safe' | 'review';
  readonly edits: readonly TextEdit[];
  /** What a run does otherwise afterwards, and what a person has to set up first, in sentences. Values are redacted later. */
  readonly note?: string;
}

/** Another place that a finding involves, with a few words about it. */
export interface Related {
  readonly span: Span;
  readonly note: string;
  /** The file of the span, when it is another one than the finding's. */
  readonly file?: SourceFile;
}

/** What a rule yields. The scanner makes a finding of it. */
export interface Report<Message extends string = string> {
  readonly message: Message;
  /** Values of the message's `{{placeholders}}`. */
  readonly data?: Readonly<Record<string, string>>;
  /** What to underline; absent for a repository setting. */
  readonly span?: Span;
  /** Where it stands: gives the finding its identity, and the file when the check saw the whole repository. */
  readonly at: Workflow | Action | Dependabot | Lockfile | Job | Step | { readonly setting: string };
  /** The offending text for the fingerprint, when the underlined one would change with a pin or a place. */
  readonly anchor?: string;
  readonly related?: readonly Related[];
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly fix?: Fix | undefined;
  /** Where there is no fix: why, or what to write by hand, in sentences. Values of the file are redacted later. */
  readonly advice?: string | undefined;
  /** Facts about this finding that combinations join on. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export interface RuleContext {
  readonly repository: Repository;
  readonly facts: Facts;
}

/** Called for each subject of a file; a generator, so that it ends where it likes and reports as often as it likes. */
export type Check<Subject, Message extends string> = (
  this: void,
  subject: Subject,
  context: RuleContext,
) => Generator<Report<Message>>;

export interface Example {
  /**
   * A workflow, or files by path. `# expect: message` on the line above marks an expected finding of that message, and
   * `# expect: message LOW` one of that severity; several are separated by commas.
   */
  readonly yaml: string | Readonly<Record<string, string>>;
  readonly facts?: Facts;
  /** Version of GitHub Enterprise Server; github.com by default. */
  readonly hostVersion?: string;
  /** `owner/name` of the repository that the files are of; not known when left out. */
  readonly repository?: string;
  /** The first file after the rule's fixes, safe and reviewed ones. */
  readonly fixed?: string;
  /** Findings of repository settings, which have no line. */
  readonly settings?: readonly string[];
}

export interface RuleMeta<Message extends string = string> {
  /** What is wrong, in a few words, without a final stop. */
  readonly title: string;
  /** Why it matters: two or three sentences for somebody who does not know the attack. */
  readonly why: string;
  /** What an attacker gains, step by step, in one or two sentences. */
  readonly attack: string;
  /** What to do about it. */
  readonly recommendation: string;
  /** What the rule does not see, honestly. */
  readonly limits: string;
  /** The severity it has by default; single findings may have another. */
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly surface: 'workflow' | 'repo-settings';
  /** `owasp` for a rule with a security claim, and the lowest SLSA levels that the weakness breaks. */
  readonly rulesets: readonly RulesetLevel[];
  readonly needs?: readonly Need[];
  /** Without what it needs it still finds what tables tell; it counts as not assessed all the same. */
  readonly partly?: true;
  /** The settings without which there is no answer; others that a check reads only refine it. */
  readonly settings?: readonly (keyof Settings)[];
  /** The version that brought the rule. */
  readonly since: string;
  readonly references: readonly string[];
  /** Sentences with `{{placeholders}}`. */
  readonly messages: Readonly<Record<Message, string>>;
}

export interface Rule<Message extends string = string> {
  /** The file's name: kebab-case, names the bad thing. Never renamed. */
  readonly id: string;
  readonly meta: RuleMeta<Message>;
  readonly examples: { readonly bad: readonly Example[]; readonly good: readonly Example[] };
  readonly check: Hooks<Message>;
}

/** A rule's functions by the subject that the engine calls them with. */
export interface Hooks<Message extends string = string> {
  readonly workflow?: Check<Workflow, Message>;
  readonly action?: Check<Action, Message>;
  /** A job that calls no workflow. */
  readonly job?: Check<Job, Message>;
  /** A job that calls a reusable workflow. */
  readonly callJob?: Check<CallJob, Message>;
  /** A step of a job or of a composite action. */
  readonly step?: Check<Step, Message>;
  /** A `uses` of a step or of a job that calls a workflow. */
  readonly uses?: Check<UsesSite, Message>;
  readonly dependabot?: Check<Dependabot, Message>;
  /** May report places in the workflows that the lockfile covers. */
  readonly lockfile?: Check<Lockfile, Message>;
  /** Everything at once, for what spans files or is a repository setting. */
  readonly repository?: Check<Repository, Message>;
}

/** Types a rule's messages by its own meta; the registry sees them as plain rules. */
export function defineRule<const Message extends string>(rule: Rule<Message>): Rule {
  return rule;
}

/** YAML in a rule's example: the common indentation and the first line break are dropped. */
export function yaml(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const text = strings.raw
    .map((part, index) => part + (values[index] ?? ''))
    .join('')
    .replaceAll('\\${', '${')
    .replaceAll('\\`', '`');
  const lines = text.replace(/^\n/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return `${lines
    .map((line) => line.slice(indent))
    .join('\n')
    .trimEnd()}\n`;
}
