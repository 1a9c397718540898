import type { Facts, Unread } from '#lib/facts/facts.ts';
import type { Settings } from '#lib/facts/settings.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import type {
  Action,
  CallJob,
  Conditional,
  Contents,
  Dependabot,
  Job,
  Lockfile,
  RunStep,
  Step,
  UsesSite,
  Workflow,
} from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import type { RulesetLevel } from './rulesets.ts';

export type Severity = 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO';
export type Confidence = 'high' | 'medium' | 'low';
export type Category = `CICD-SEC-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;
/**
 * What a rule needs besides the files; without it the rule is not assessed. `commits` and `definitions` can be missing
 * separately. Images matter for fixes only.
 */
export type Need = Exclude<keyof Facts, 'images'> | Unread['what'];

/**
 * Findings resolved by the same edit share one object. `note` says, as sentences, what runs do differently afterwards and what
 * to set up first. Redacted later.
 */
export interface Fix {
  readonly safety: 'safe' | 'review';
  readonly edits: readonly TextEdit[];
  readonly note?: string;
}

export interface Related {
  readonly span: Span;
  readonly note: string;
  readonly file?: SourceFile;
}

/**
 * `at` identifies the finding structurally, and supplies the file if the check saw the whole repository. A default scan shows
 * only the first finding of a rule and file with the same `once`. `within` is the action of another repository whose steps it is
 * about, named in the message; `at` is then the step that uses it. A finding whose `facts` are all covered by stronger ones is
 * shown as a step of them. Combinations join on `attributes`.
 */
export interface Report<Message extends string = string> {
  readonly message: Message;
  readonly data?: Readonly<Record<string, string>>;
  readonly span?: Span;
  readonly at: Workflow | Action | Dependabot | Lockfile | Job | Step | { readonly setting: string };
  readonly anchor?: string;
  readonly related?: readonly Related[];
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly fix?: Fix | undefined;
  readonly advice?: string | undefined;
  readonly pedantic?: boolean;
  readonly once?: string;
  readonly within?: string;
  readonly facts?: readonly string[];
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export interface RuleContext {
  readonly repository: Repository;
  readonly facts: Facts;
}

export type Check<Subject, Message extends string> = (
  this: void,
  subject: Subject,
  context: RuleContext,
) => Generator<Report<Message>>;

export interface Example {
  /**
   * A workflow, or files by path. `# expect: message` marks the line below as a finding, `# expect: message LOW` also
   * its severity; commas separate several.
   */
  readonly yaml: string | Readonly<Record<string, string>>;
  readonly facts?: Facts;
  readonly hostVersion?: string;
  readonly repository?: string;
  readonly fixed?: string;
  readonly settings?: readonly string[];
}

/**
 * `rulesets` has `owasp` for a security claim, and the lowest SLSA levels that the weakness violates. `partly`: built-in tables
 * still give findings without what it needs, but the rule counts as not assessed. `inUsedActions`: also checks the composite
 * actions of other repositories that were looked up. Without one of the `settings` the rule is not assessed; others only refine
 * it. `pedantic` are the messages that only `--pedantic` shows, or all of them.
 */
export interface RuleMeta<Message extends string = string> {
  readonly title: string;
  readonly why: string;
  readonly attack: string;
  readonly recommendation: string;
  readonly limits: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly surface: 'workflow' | 'repo-settings';
  readonly rulesets: readonly RulesetLevel[];
  readonly needs?: readonly Need[];
  readonly partly?: true;
  readonly inUsedActions?: true;
  readonly settings?: readonly (keyof Settings)[];
  readonly pedantic?: true | readonly Message[];
  readonly since: string;
  readonly references: readonly string[];
  readonly messages: Readonly<Record<Message, string>>;
}

export interface Rule<Message extends string = string> {
  readonly id: string;
  readonly meta: RuleMeta<Message>;
  readonly examples: { readonly bad: readonly Example[]; readonly good: readonly Example[] };
  readonly when?: (this: void, contents: Contents, context: RuleContext) => boolean;
  readonly check: Hooks<Message>;
}

export interface Hooks<Message extends string = string> {
  readonly workflow?: Check<Workflow, Message>;
  readonly action?: Check<Action, Message>;
  readonly job?: Check<Job, Message>;
  readonly callJob?: Check<CallJob, Message>;
  readonly step?: Check<Step, Message>;
  readonly run?: Check<RunStep, Message>;
  readonly condition?: Check<Conditional, Message>;
  readonly uses?: Check<UsesSite, Message>;
  readonly dependabot?: Check<Dependabot, Message>;
  readonly lockfile?: Check<Lockfile, Message>;
  readonly repository?: Check<Repository, Message>;
}

export function defineRule<const Message extends string>(rule: Rule<Message>): Rule {
  return rule;
}

/** YAML of an example; removes common indentation and the first line break. */
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
