import { COMMAND_ACTIONS, PULL_REQUEST_RESOLVERS } from '#lib/data/curated/pull-request-actions.ts';
import { READING_ACTIONS } from '#lib/data/curated/reading-actions.ts';
import { type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { memoByRepository } from '../memo.ts';
import { evaluates, type Scenario } from '../reachability/conditions.ts';
import type { SourceDefinition, ValueDefinition, WordsDefinition } from '../values/definitions.ts';
import { filesReadByScript } from '../values/github-script-values.ts';
import { sourcesOfWord, sourcesOfWrite } from '../values/value-sources.ts';
import { type Context, type Mention, type Mentioned, ValueTracer, variableAccess } from '../values/value-tracer.ts';
import { liesIn } from './placed-files.ts';
import { downloadsOfRuns } from './run-artifacts.ts';

/** `text`: whatever an outsider wrote into a file. */
export type Lookup = 'sha' | 'branch' | 'merge' | 'repository' | 'number' | 'text';

/**
 * `unsure` if only a name tells what an action returns, or an unknown run made the file. `fixed` for a commit that was
 * looked up when someone approved it, or that an earlier job checked out.
 */
export interface RefSource {
  readonly path: string;
  readonly lookup?: Lookup;
  readonly within: string;
  readonly unsure?: true;
  readonly fixed?: true;
}

const MAX_WITHIN = 500;
const MAX_ASSIGNMENTS = 20;
const MAX_REFS = 50;

/**
 * Traces values back to refs and repositories in one scenario, which decides `&&` and `||`. `caller` is the step that
 * runs the composite action of the queried steps.
 */
export class RefTracer {
  readonly #repository: Repository;
  readonly #caller: Step | undefined;
  readonly #tracer: ValueTracer<RefSource>;

  constructor(repository: Repository, event: string, caller?: Step) {
    this.#repository = repository;
    this.#caller = caller;
    this.#tracer = tracerFor(event, repository);
  }

  ofText(text: Text, at: Step | Job): readonly RefSource[] {
    return this.#tracer.ofText(text, { at, caller: this.#caller }, this.#repository);
  }

  ofWord(word: ShellWord, at: Step): readonly RefSource[] {
    return this.#tracer.ofWord(word, { at, caller: this.#caller }, this.#repository);
  }
}

const tracersByRepository = memoByRepository(() => new Map<string, ValueTracer<RefSource>>());

/** Jobs read each other's outputs, so all jobs of an event share one tracer. */
function tracerFor(event: string, repository: Repository): ValueTracer<RefSource> {
  const tracers = tracersByRepository(repository);
  let tracer = tracers.get(event);
  if (tracer === undefined) tracers.set(event, (tracer = createTracer({ event })));
  return tracer;
}

function createTracer(scenario: Scenario): ValueTracer<RefSource> {
  return new ValueTracer<RefSource>({
    found: (definition, repository, context) => refSources(definition, context, scenario, repository),
    accesses: (node) => accessesIn(node, scenario),
    words: mentionsInWords,
    follows: (definition) => isReachedBy(definition, scenario),
    // The value of a variable or output belongs to the ref around it: `refs/pull/${{ env.NUMBER }}/head`.
    pass: (ref, { maybeReturned }, { within, fields }) =>
      maybeReturned === true && BASE_FIELD.test(fields)
        ? undefined
        : {
            ...ref,
            ...(within.includes('pull/') ? { within: within.slice(0, MAX_WITHIN) } : {}),
            ...(ASKS_FOR_HEAD.test(within) ? { fixed: true } : {}),
            ...(maybeReturned === true ? { unsure: true } : {}),
          },
    guesses: true,
    distinct: (refs) =>
      [...new Map(refs.map((ref) => [`${ref.path}\n${ref.lookup}\n${ref.unsure}\n${ref.within}`, ref])).values()].slice(
        0,
        MAX_REFS,
      ),
  });
}

const BASE_FIELD = /(?:^|\.)base(?:_?(?:ref|sha|branch))?(?:\.|$)/i;

function isReachedBy({ kind, at, input, dispatch }: ValueDefinition, { event }: Scenario): boolean {
  if (dispatch !== undefined) return event === dispatch;
  if (kind === 'source' || input === undefined || at.kind === 'step') return true;
  return at.workflow.triggers.some((trigger) => trigger.event === event || trigger.event === 'workflow_call');
}

function refSources(
  { source, at, caller }: SourceDefinition,
  { within, fields }: Context,
  { event }: Scenario,
  repository: Repository,
): RefSource[] {
  const around = within.slice(0, MAX_WITHIN);
  switch (source.kind) {
    case 'event': {
      const [, , part, name] = source.path;
      if (part !== 'inputs') return [{ path: source.path.join('.'), within: around }];
      return event === 'workflow_dispatch' ? [{ path: `inputs.${name ?? '*'}`, within: around }] : [];
    }
    case 'input':
      return source.event === event ? [{ path: `inputs.${source.name}`, within: around }] : [];
    case 'output': {
      const { step, name } = source;
      const files = filesReadByScript(step, name);
      if (files.length > 0) return files.flatMap((file) => fileRefs(file, step, caller, around, repository));
      const lookup = outputLookup(step, name, fields);
      if (lookup !== undefined) return [{ path: pathOf(step, name), lookup, within: around }];
      const likely = likelyLookup(step, name);
      if (likely === undefined) return refsReadByAction(step, name, { caller, within: around }, repository);
      const approved = /^sha$/i.test(name) && COMMAND_ACTIONS[actionOf(step)?.slug ?? ''] !== undefined;
      const ref = { path: pathOf(step, name), lookup: likely, within: around, unsure: true as const };
      return [approved ? { ...ref, fixed: true } : ref];
    }
    case 'file':
      return at.kind === 'job' ? [] : fileRefs(source.operand, at, caller, around, repository);
    case 'query':
      return [];
  }
}

function refsReadByAction(
  step: Step,
  name: string,
  { caller, within }: { readonly caller: Step | Job | undefined; readonly within: string },
  repository: Repository,
): RefSource[] {
  if (actionOf(step) === undefined || actionOf(step)?.owner.toLowerCase() === 'actions') return [];
  const given = (step.with?.entries ?? []).filter(({ value }) => PATH.test(value.value.trim()));
  const refs = given.flatMap(({ value }) => fileRefs(value.value.trim(), step, caller, within, repository));
  const reads = ownValue(READING_ACTIONS, actionOf(step)?.name ?? '') === name;
  return refs
    .slice(0, 1)
    .map((ref) => ({ ...ref, path: pathOf(step, name), ...(reads ? {} : { unsure: true as const }) }));
}

const PATH = /^[\w.~-]*[/.][\w./-]{1,200}$/;

/** A ref in an artifact that an outsider's run made is the outsider's choice. */
function fileRefs(
  operand: string,
  at: Step,
  caller: Step | Job | undefined,
  within: string,
  repository: Repository,
): RefSource[] {
  const placed = at.parent.kind === 'action' && caller?.kind === 'step' ? caller : at;
  const job = jobOf(placed);
  if (job === undefined) return [];
  const from = downloadsOfRuns(job, repository).filter(
    ({ step, trust, folder }) =>
      trust !== 'data' &&
      (step.index < placed.index || (step === placed && (step.run !== undefined || at !== placed))) &&
      liesIn(operand, { folder, from: 'artifact' }, at),
  );
  const sure = from.some(({ trust }) => trust === 'fork');
  if (from.length === 0) return [];
  return [{ path: `the artifact’s file ${operand}`, lookup: 'text', within, ...(sure ? {} : { unsure: true }) }];
}

function pathOf(step: Step, name: string): string {
  return `steps.${step.id?.value ?? ''}.outputs.${name}`;
}

function outputLookup(step: Step, name: string, fields: string): Lookup | undefined {
  const slug = actionOf(step)?.slug ?? '';
  const named = slug === 'actions/github-script' ? scriptLookup(step, name) : knownLookup(slug, name);
  return named ?? (fields !== '' && answersWhole(step, slug, name) ? lookupIn(fields) : undefined);
}

function mentionsInWords(definition: WordsDefinition): readonly Mention<RefSource>[] {
  const { words, write, at, caller } = definition;
  const [word] = words;
  if (word === undefined) return [];
  if (words.length > 1) return words.map((each) => ({ ...definition, words: [each] }));
  const asked = asks(word.text) || (write !== undefined && write.pipeline.some(isQuery));
  const lookup = asked ? lookupIn(word.text) : undefined;
  if (lookup !== undefined) {
    const path = `a ${LOOKUP_NAMES[lookup]} looked up in the run`;
    return [{ found: { path, lookup, within: word.text.slice(0, MAX_WITHIN) } }];
  }
  if (READS_BASE.test(word.text)) return [];
  const head = ASKS_FOR_HEAD.test(word.text) ? refOfCheckoutBefore(at) : undefined;
  if (head !== undefined) return [head];
  const sources = write === undefined ? sourcesOfWord(word, at) : sourcesOfWrite(write, at, words);
  const read = (word.files ?? []).map((operand) => ({ kind: 'file', operand }) as const);
  const files = [...sources, ...read].flatMap((source): Mention<RefSource>[] =>
    source.kind === 'file' ? [{ kind: 'source', source, at, caller }] : [],
  );
  const script = ScriptIndex.of(at);
  const variables = word.variables.flatMap((name): Mention<RefSource>[] => {
    const assigned = script.assignmentsOf(name).filter((value) => !isSame(value, name));
    const inherits = assigned.length === 0 || assigned.some((value) => value.variables.includes(name));
    const own = assigned
      .slice(0, MAX_ASSIGNMENTS)
      .map((value): WordsDefinition => ({ kind: 'words', words: [value], at, caller }));
    return inherits ? [...own, variableAccess(name)] : own;
  });
  return [{ kind: 'text', text: word.value, expressions: word.expressions, at, caller }, ...variables, ...files];
}

const ASKS_FOR_HEAD =
  /(?:\$\(|`)\s*git (?:rev-parse(?: --\w+)* HEAD|(?:log -1|log -n 1|show -s) --(?:pretty|format)=["']?(?:format:)?%H)\b/;

function refOfCheckoutBefore(at: Step): Mention<RefSource> | undefined {
  const before = at.parent.steps.slice(0, at.index);
  const checkout = before.findLast(
    (step) => runsAction(step, 'actions/checkout') && inputOf(step, 'path') === undefined,
  );
  const ref = checkout && inputOf(checkout, 'ref');
  if (checkout === undefined || ref === undefined) return undefined;
  return { kind: 'text', text: ref.value, expressions: expressionsIn(ref), at: checkout, caller: undefined };
}

const LOOKUP_NAMES: Readonly<Record<Lookup, string>> = {
  sha: 'head commit',
  branch: 'head branch',
  merge: 'test merge',
  repository: 'head repository',
  number: 'pull request number',
  text: 'ref',
};

function asks(text: string): boolean {
  return (text.includes('$(') || text.includes('`')) && /\b(?:gh|hub|curl|GITHUB_EVENT_PATH)\b/.test(text);
}

const READS_BASE = /["'\s]\.base\.(?:ref|sha)\b|\bbaseRef(?:Name|Oid)\b/;

function isSame(word: ShellWord, name: string): boolean {
  return word.value === `$${name}` || word.value === `\${${name}}`;
}

function isQuery({ program }: ShellCommand): boolean {
  return program === 'gh' || program === 'jq';
}

function knownLookup(slug: string, name: string): Lookup | undefined {
  if (!PULL_REQUEST_RESOLVERS.has(slug) || /base|target/i.test(name)) return undefined;
  if (/sha|commit/i.test(name)) return /merge/i.test(name) ? 'merge' : 'sha';
  if (/repo/i.test(name)) return 'repository';
  return /ref|branch/i.test(name) ? 'branch' : undefined;
}

const HEAD_OUTPUTS: readonly (readonly [RegExp, Lookup])[] = [
  [/^(?:pr|pull(?:-request)?-)?merge-?(?:commit-?)?sha$/, 'merge'],
  [/^(?:pr-?|pull-?request-?|source-?|fork-?)?head-?(?:commit-?)?(?:sha|oid)$/, 'sha'],
  [/^(?:pr|pull-?request)-?(?:commit-?)?(?:sha|oid)$/, 'sha'],
  [/^(?:pr-?|pull-?request-?|source-?)?head-?repo(?:sitory)?(?:-?(?:full-?)?name)?$/, 'repository'],
  [/^(?:pr-?|pull-?request-?|source-?)?head-?(?:ref|branch)$/, 'branch'],
  [/^(?:pr|pull-?request)-?(?:ref|branch)$/, 'branch'],
];
const COMMIT_OUTPUT = /^(?:sha|commit|commit-?sha|oid)$/;
const ABOUT_PULL_REQUESTS = /(?:^|[-_/])(?:pr|prs|pull|pulls|pull-?requests?)(?:$|[-_/])/i;

function likelyLookup(step: Step, name: string): Lookup | undefined {
  const action = actionOf(step);
  if (action === undefined || action.owner.toLowerCase() === 'actions') return undefined;
  const plain = name.toLowerCase().replaceAll('_', '-');
  if (COMMAND_ACTIONS[action.slug]?.refs.test(plain) === true) return 'sha';
  const named = HEAD_OUTPUTS.find(([pattern]) => pattern.test(plain))?.[1];
  if (named !== undefined) return named;
  return COMMIT_OUTPUT.test(plain) && ABOUT_PULL_REQUESTS.test(action.repo) ? 'sha' : undefined;
}

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

function accessesIn(node: ExpressionNode, scenario: Scenario): Mentioned[] {
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
