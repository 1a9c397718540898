import { type Expression, type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { evaluates, type Scenario } from '../reachability/conditions.ts';

/** What a lookup of a pull request, made while the job runs, yields. */
export type Lookup = 'sha' | 'branch' | 'merge' | 'repository' | 'number';

/** A place that a value may come from, followed back through `env`, outputs, inputs and shell variables. */
export interface RefSource {
  /** `github.event.pull_request.head.sha`, `inputs.pr`, or the output that a lookup fills. */
  readonly path: string;
  /** Set when the value is not in the event but asked for during the run. */
  readonly lookup?: Lookup;
  /** The text that the value stands in where it is first used: `refs/pull/${{ … }}/head`. */
  readonly within: string;
}

/** Where a value is first used, and what is taken out of it: `head.sha` of `fromJSON(steps.pr.outputs.data).head.sha`. */
interface Place {
  readonly within: string;
  readonly fields: string;
}

const MAX_DEPTH = 8;
const MAX_VALUES = 300;
/** The same for everything that one tracer is asked: a script may ask very often. */
const MAX_TOTAL_VALUES = 5_000;
/** Characters of a surrounding text that are kept: a ref is short. */
const MAX_WITHIN = 500;

/** Follows values back to where they come from in one scenario: what an `&&` or `||` rules out there does not count. */
export class RefTracer {
  readonly #repository: Repository;
  readonly #scenario: Scenario;
  /** The step that runs the composite action whose steps are asked about. */
  readonly #caller: Step | undefined;
  #values = 0;
  #total = 0;

  constructor(repository: Repository, scenario: Scenario, caller?: Step) {
    this.#repository = repository;
    this.#scenario = scenario;
    this.#caller = caller;
  }

  ofText(text: Text, at: Step | Job): RefSource[] {
    this.#values = 0;
    return this.#text(text, at, 0);
  }

  ofWord(word: ShellWord, step: Step): RefSource[] {
    this.#values = 0;
    return this.#word(word, step, 0);
  }

  #isSpent(depth: number): boolean {
    this.#values += 1;
    this.#total += 1;
    return depth > MAX_DEPTH || this.#values > MAX_VALUES || this.#total > MAX_TOTAL_VALUES;
  }

  #text(text: Text, at: Step | Job, depth: number): RefSource[] {
    return this.#expressions(expressionsIn(text), text.value, at, depth);
  }

  #expressions(expressions: readonly Expression[], within: string, at: Step | Job, depth: number): RefSource[] {
    return expressions.flatMap(({ node }) => {
      if (node === undefined) return [];
      const around = within.slice(0, MAX_WITHIN);
      return accessesIn(node, this.#scenario).flatMap(({ path, fields }) =>
        this.#access(path, { within: around, fields }, at, depth),
      );
    });
  }

  #access(path: readonly string[], { within, fields }: Place, at: Step | Job, depth: number): RefSource[] {
    if (this.#isSpent(depth)) return [];
    const [context, first = '', second, third = ''] = path;
    const job = at.kind === 'job' ? at : jobOf(at);
    if (context === 'github' && first === 'event' && second === 'inputs') return [{ path: `inputs.${third}`, within }];
    if (context === 'github') return [{ path: path.join('.'), within }];
    if (context === 'env') return this.#environment(first, at, depth);
    if (context === 'inputs') return this.#input(first, within, at, depth);
    if (context === 'steps' && second === 'outputs') {
      const steps = at.kind === 'step' ? at.parent.steps : at.steps;
      const step = steps.find(({ id }) => id?.value.toLowerCase() === first);
      return step === undefined ? [] : this.#output(step, third, { within, fields }, depth + 1);
    }
    if (context === 'needs' && second === 'outputs') {
      const needed = job?.workflow.jobs.find(({ id }) => id.toLowerCase() === first);
      const output = needed?.outputs?.get(third)?.value;
      return needed === undefined || output === undefined ? [] : this.#rename(output, within, needed, depth + 1);
    }
    return [];
  }

  /** What a text holds, seen as part of the text that refers to it: `refs/pull/${{ needs.a.outputs.number }}/head`. */
  #rename(text: Text, within: string, at: Step | Job, depth: number): RefSource[] {
    const inner = this.#text(text, at, depth);
    return within.includes('pull/') ? inner.map((origin) => seenWithin(origin, within)) : inner;
  }

  #environment(name: string, at: Step | Job, depth: number): RefSource[] {
    const value = environmentValue(name, at);
    if (value !== undefined) return this.#text(value.text, value.at, depth + 1);
    return at.kind === 'step' ? this.#writtenBefore('GITHUB_ENV', name, at, depth + 1) : [];
  }

  #input(name: string, within: string, at: Step | Job, depth: number): RefSource[] {
    const workflow = (at.kind === 'job' ? at : jobOf(at))?.workflow;
    if (workflow === undefined) {
      const given = this.#caller?.with?.get(name)?.value;
      return given === undefined || this.#caller === undefined
        ? []
        : this.#rename(given, within, this.#caller, depth + 1);
    }
    const { event } = this.#scenario;
    const found: RefSource[] = [];
    for (const trigger of workflow.triggers) {
      if (trigger.event === 'workflow_dispatch' && event === 'workflow_dispatch') {
        found.push({ path: `inputs.${name}`, within });
      }
      if (trigger.event !== 'workflow_call') continue;
      for (const caller of this.#repository.callersOf(workflow)) {
        const passed = caller.with?.get(name)?.value;
        const reached = caller.workflow.triggers.some((own) => own.event === event || own.event === 'workflow_call');
        if (passed !== undefined && reached) found.push(...this.#rename(passed, within, caller, depth + 1));
      }
    }
    return found;
  }

  #output(step: Step, name: string, { within, fields }: Place, depth: number): RefSource[] {
    const action = actionOf(step);
    if (action === undefined) return this.#written('GITHUB_OUTPUT', name, step, depth);
    const path = `steps.${step.id?.value ?? ''}.outputs.${name}`;
    const named = action.slug === 'actions/github-script' ? scriptLookup(step, name) : knownLookup(action.slug, name);
    const lookup = named ?? (fields !== '' && answersWhole(step, action.slug, name) ? lookupIn(fields) : undefined);
    return lookup === undefined ? [] : [{ path, lookup, within }];
  }

  #writtenBefore(file: string, name: string, step: Step, depth: number): RefSource[] {
    return step.parent.steps.slice(0, step.index).flatMap((before) => this.#written(file, name, before, depth));
  }

  /** `echo "name=$VALUE" >> "$GITHUB_OUTPUT"`: what the value holds. */
  #written(file: string, name: string, step: Step, depth: number): RefSource[] {
    const path = `steps.${step.id?.value ?? ''}.outputs.${name}`;
    return commandsOf(step).flatMap((command) => {
      if (!command.redirects.some(({ target }) => target?.variables.includes(file) === true)) return [];
      const words = command.args.filter(({ value }) => value.toLowerCase().includes(`${name.toLowerCase()}=`));
      return words.flatMap((word) => {
        const lookup = isQuery(command) ? lookupIn(word.text) : undefined;
        return lookup === undefined
          ? this.#word(word, step, depth + 1, new Set())
          : [{ path, lookup, within: word.text.slice(0, MAX_WITHIN) }];
      });
    });
  }

  #word(word: ShellWord, step: Step, depth: number, seen: ReadonlySet<string> = new Set()): RefSource[] {
    if (this.#isSpent(depth)) return [];
    const lookup = asks(word.text) ? lookupIn(word.text) : undefined;
    if (lookup !== undefined)
      return [
        { path: `a ${LOOKUP_NAMES[lookup]} looked up in the run`, lookup, within: word.text.slice(0, MAX_WITHIN) },
      ];
    const expanded = this.#expressions(word.expressions, word.value, step, depth);
    const inner = word.variables
      .filter((name) => !seen.has(name))
      .flatMap((name) => this.#variable(name, step, depth, seen));
    const within = word.value.includes('pull/') ? word.value.slice(0, MAX_WITHIN) : undefined;
    return [...expanded, ...inner.map((origin) => (within === undefined ? origin : seenWithin(origin, within)))];
  }

  #variable(name: string, step: Step, depth: number, seen: ReadonlySet<string>): RefSource[] {
    const runner = RUNNER_VARIABLES[name];
    if (runner !== undefined) return [{ path: runner, within: `$${name}` }];
    const through = new Set([...seen, name]);
    const assigned = (assignmentsIn(step).get(name) ?? []).filter((value) => !isSame(value, name));
    if (assigned.length > 0) return assigned.flatMap((value) => this.#word(value, step, depth + 1, through));
    return this.#environment(name, step, depth);
  }
}

const LOOKUP_NAMES: Readonly<Record<Lookup, string>> = {
  sha: 'head commit',
  branch: 'head branch',
  merge: 'test merge',
  repository: 'head repository',
  number: 'pull request number',
};

/** A substitution that asks the code host or the event's file. */
function asks(text: string): boolean {
  return (text.includes('$(') || text.includes('`')) && /\b(?:gh|hub|curl|GITHUB_EVENT_PATH)\b/.test(text);
}

const assignmentsByStep = new WeakMap<Step, Map<string, ShellWord[]>>();

function assignmentsIn(step: Step): Map<string, ShellWord[]> {
  let known = assignmentsByStep.get(step);
  if (known === undefined) {
    known = new Map();
    for (const { assignments } of commandsOf(step)) {
      for (const { name, value } of assignments) known.set(name, [...(known.get(name) ?? []), value].slice(0, 20));
    }
    assignmentsByStep.set(step, known);
  }
  return known;
}

function isSame(word: ShellWord, name: string): boolean {
  return word.value === `$${name}` || word.value === `\${${name}}`;
}

function seenWithin(origin: RefSource, within: string): RefSource {
  return { ...origin, within };
}

function isQuery({ program, pipeline }: ShellCommand): boolean {
  return [program, ...pipeline.map((command) => command.program)].some((name) => name === 'gh' || name === 'jq');
}

/** Variables that the runner sets. The payload's file is the whole event. */
const RUNNER_VARIABLES: Readonly<Record<string, string>> = {
  GITHUB_HEAD_REF: 'github.head_ref',
  GITHUB_REF: 'github.ref',
  GITHUB_SHA: 'github.sha',
  GITHUB_REPOSITORY: 'github.repository',
};

/** Actions that resolve the pull request of a comment or run. */
const RESOLVERS: ReadonlySet<string> = new Set([
  '8bitjonny/gh-get-current-pr',
  'alessbell/pull-request-comment-branch',
  'eficode/resolve-pr-refs',
  'gotson/pull-request-comment-branch',
  'potiuk/get-workflow-origin',
  'xt0rted/pull-request-comment-branch',
]);

function knownLookup(slug: string, name: string): Lookup | undefined {
  if (!RESOLVERS.has(slug) || /base|target/i.test(name)) return undefined;
  if (/sha/i.test(name)) return /merge/i.test(name) ? 'merge' : 'sha';
  if (/repo/i.test(name)) return 'repository';
  return /ref|branch/i.test(name) ? 'branch' : undefined;
}

/** What `core.setOutput('name', pr.head.sha)` or the script's only `return` says. */
function scriptLookup(step: Step, name: string): Lookup | undefined {
  const script = step.with?.get('script')?.value.value ?? '';
  for (const line of script.split('\n')) {
    const [, output, value] = /setOutput\(\s*['"`]([\w-]+)['"`]\s*,(.*)/.exec(line) ?? [];
    if (output?.toLowerCase() === name && value !== undefined) return lookupIn(value);
    if (name === 'result' && /^\s*return\b/.test(line) && lookupIn(line) !== undefined) return lookupIn(line);
  }
  return undefined;
}

const ASKS_FOR_PULL_REQUEST = /\bpulls\.(?:get|list)\b|\bpull_request\.url\b|\/pulls\/|\bgraphql\b/;

/** Whether the output holds all that the code host answers about a pull request, of which an expression takes a part. */
function answersWhole(step: Step, slug: string, name: string): boolean {
  if (slug === 'octokit/request-action') return name === 'data';
  return slug === 'actions/github-script' && ASKS_FOR_PULL_REQUEST.test(step.with?.get('script')?.value.value ?? '');
}

function lookupIn(text: string): Lookup | undefined {
  if (/headRefOid|\bhead(?:\?)?\.sha\b|\bhead_?sha\b/i.test(text)) return 'sha';
  if (/potentialMergeCommit|merge_commit_sha/.test(text)) return 'merge';
  if (/headRepository|\bhead\.(?:repo|user)\b/.test(text)) return 'repository';
  if (/headRefName|\bhead\.(?:ref|label)\b|\bhead_?ref\b/i.test(text)) return 'branch';
  if (/\b(?:issue|pull_request|pr)\.number\b|--json number\b/.test(text)) return 'number';
  return text.includes('GITHUB_EVENT_PATH') && text.includes('number') ? 'number' : undefined;
}

/** An access, and the fields that the expression takes out of what it reads from its text. */
interface Yielded {
  readonly path: readonly string[];
  readonly fields: string;
}

/** The accesses whose text an expression can yield in the scenario. */
function accessesIn(node: ExpressionNode, scenario: Scenario): Yielded[] {
  switch (node.type) {
    case 'access':
      return [{ path: node.path, fields: '' }];
    case 'and': {
      const tests = node.args.slice(0, -1);
      if (tests.some((test) => evaluates(test, scenario) === false)) return [];
      return accessesIn(node.args.at(-1) as ExpressionNode, scenario);
    }
    case 'or': {
      const certain = node.args.findIndex((arg) => evaluates(arg, scenario) === true);
      const possible = certain === -1 ? node.args : node.args.slice(0, certain + 1);
      return possible.flatMap((arg) => accessesIn(arg, scenario));
    }
    case 'index': {
      const key = node.key.type === 'literal' ? String(node.key.value) : '*';
      return accessesIn(node.target, scenario).map(({ path, fields }) => ({
        path,
        fields: fields === '' ? key : `${fields}.${key}`,
      }));
    }
    case 'call':
      return ['format', 'join', 'case', 'tojson', 'fromjson'].includes(node.name)
        ? node.args.flatMap((arg) => accessesIn(arg, scenario))
        : [];
    case 'literal':
    case 'compare':
    case 'not':
      return [];
  }
}
