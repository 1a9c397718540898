import { PASSING_ACTIONS } from '#lib/data/curated/passing-actions.ts';
import { type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Action,
  type Definition,
  type Input,
  type Job,
  jobOf,
  type Step,
  type Text,
  type Workflow,
} from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type CommandFileWrite, type WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode, RepositoryMemo } from '../memo.ts';
import { stepsById } from '../reachability/composites.ts';
import { dispatchesTo } from '../reachability/dispatches.ts';
import { jobNamed } from '../reachability/needed-jobs.ts';
import { stepsUsing } from './local-callers.ts';
import { namesWritten, writesOfName } from './output-file-values.ts';
import type { Query } from './script-queries.ts';

export interface Place {
  readonly at: Step | Job;
  readonly caller?: Step | Job | undefined;
}

/** A read of a context as a lower-case path, such as `['needs', 'build', 'outputs', 'tag']`. */
export interface Access {
  readonly path: readonly string[];
  readonly variable?: string;
}

export type Source =
  | { readonly kind: 'event'; readonly path: readonly string[] }
  | { readonly kind: 'input'; readonly name: string; readonly event: 'workflow_dispatch' | 'workflow_call' | '*' }
  | { readonly kind: 'output'; readonly step: Step; readonly name: string }
  | { readonly kind: 'file'; readonly operand: string }
  | { readonly kind: 'query'; readonly query: Query };

interface Origin extends Place {
  readonly via?: string;
  readonly input?: Input | undefined;
  readonly dispatch?: 'workflow_dispatch' | 'repository_dispatch';
  readonly maybeReturned?: true;
}

export interface TextDefinition extends Origin {
  readonly kind: 'text';
  readonly text: string;
  readonly expressions: readonly Expression[];
}

export interface WordsDefinition extends Origin {
  readonly kind: 'words';
  readonly at: Step;
  readonly words: readonly WrittenWord[];
  readonly write?: CommandFileWrite;
}

export interface SourceDefinition extends Origin {
  readonly kind: 'source';
  readonly source: Source;
}

export type ValueDefinition = TextDefinition | WordsDefinition | SourceDefinition;

export function definitionsOf(access: Access, place: Place, repository: Repository): readonly ValueDefinition[] {
  const [context = '', first = '*', second, third = '*'] = access.path;
  const via = access.variable === undefined ? access.path.join('.') : `$${access.variable}`;
  const runner = ownValue(RUNNER_VARIABLES, access.variable ?? '');
  switch (context) {
    case 'github':
      return eventDefinitions(access.path, place, repository);
    case 'env':
      return runner === undefined
        ? environmentDefinitions(first, place, repository).map(through(via))
        : eventDefinitions(runner, place, repository);
    case 'inputs':
      return inputDefinitions(first, place, repository);
    case 'steps':
      return second === 'outputs' ? stepDefinitions(first, third, place, repository).map(through(via)) : [];
    case 'needs':
    case 'jobs':
      return second === 'outputs' ? jobDefinitions(first, third, place, repository).map(through(via)) : [];
    case 'matrix':
      return matrixDefinitions(first, place).map(through(via));
    default:
      return [];
  }
}

function through(via: string): (definition: ValueDefinition) => ValueDefinition {
  return (definition) => ({ ...definition, via });
}

export function textDefinition(text: Text, { at, caller }: Place): TextDefinition {
  return { kind: 'text', text: text.value, expressions: expressionsIn(text), at, caller };
}

export function definitionAt(at: Step | Job): Definition {
  if (at.kind === 'job') return at.workflow;
  return at.parent.kind === 'job' ? at.parent.workflow : at.parent;
}

function jobAt({ at, caller }: Place): Job | undefined {
  const job = at.kind === 'job' ? at : jobOf(at);
  return job ?? (caller?.kind === 'step' ? jobOf(caller) : caller);
}

function isInAction(at: Step | Job): boolean {
  return at.kind === 'step' && at.parent.kind === 'action';
}

function eventDefinitions(path: readonly string[], place: Place, repository: Repository): readonly ValueDefinition[] {
  const at = isInAction(place.at) ? (place.caller ?? place.at) : place.at;
  const event: ValueDefinition = { kind: 'source', source: { kind: 'event', path }, at };
  const [, , part, name = '*'] = path;
  const file = definitionAt(at);
  if (file.kind === 'action' || (part !== 'inputs' && part !== 'client_payload')) return [event];
  return [event, ...dispatched(file, part, name, repository).map(through(path.join('.')))];
}

function dispatched(
  workflow: Workflow,
  part: 'inputs' | 'client_payload',
  name: string,
  repository: Repository,
): ValueDefinition[] {
  const event = part === 'inputs' ? 'workflow_dispatch' : 'repository_dispatch';
  const triggers = part === 'inputs' ? workflow.triggers : [];
  const [input] = triggers.flatMap(({ inputs }) => inputsNamed(inputs, name));
  return dispatchesTo(workflow, repository)
    .filter((each) => each.event === event)
    .flatMap(({ step, values }) =>
      values
        .filter((value) => name === '*' || value.name === '*' || value.name === name)
        .map(
          ({ value }): ValueDefinition =>
            'text' in value
              ? { kind: 'words', words: [value], at: step, input, dispatch: event }
              : { kind: 'text', text: value[0]?.source ?? '', expressions: value, at: step, input, dispatch: event },
        ),
    );
}

const RUNNER_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  GITHUB_HEAD_REF: ['github', 'head_ref'],
  GITHUB_REF: ['github', 'ref'],
  GITHUB_REPOSITORY: ['github', 'repository'],
  GITHUB_SHA: ['github', 'sha'],
};

const MAX_CALLERS = 20;

function environmentDefinitions(name: string, place: Place, repository: Repository): ValueDefinition[] {
  const { at, caller } = place;
  const declared = environmentValue(name, at);
  if (declared !== undefined) return [textDefinition(declared.text, { at: declared.at, caller })];
  if (at.kind === 'job') return [];
  const written = lastWrites(name, at, caller);
  if (at.parent.kind !== 'action') return written;
  const callers = caller === undefined ? stepsUsing(at.parent, repository).slice(0, MAX_CALLERS) : [caller];
  const given = callers.flatMap((each) =>
    each.kind === 'step' ? environmentDefinitions(name, { at: each }, repository) : [],
  );
  return [...written, ...given];
}

const MAX_SETTERS = 20;

function lastWrites(name: string, { parent, index }: Step, caller: Place['caller']): WordsDefinition[] {
  const found: WordsDefinition[][] = [];
  const setters = stepsThatSet(parent, name);
  for (let at = setters.findLastIndex((step) => step.index < index); at >= 0 && found.length < MAX_SETTERS; at -= 1) {
    const written = writtenDefinitions(setters[at] as Step, 'env', name, caller);
    if (written.length > 0) found.push(written);
  }
  return found.reverse().flat();
}

const stepsThatSetVariables = memoByNode((parent: Step['parent']) => {
  const all = parent.steps.filter(({ run }) => /GITHUB_ENV|github\.env/.test(run?.value ?? ''));
  const byName = new Map<string, Step[]>();
  for (const step of all) {
    for (const name of namesWritten(step).env) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [step]);
      else known.push(step);
    }
  }
  return { all, byName };
});

function stepsThatSet(parent: Step['parent'], name: string): readonly Step[] {
  const { all, byName } = stepsThatSetVariables(parent);
  return /^[\w-]+$/.test(name) ? (byName.get(name) ?? []) : all;
}

function writtenDefinitions(
  step: Step,
  file: 'env' | 'output',
  name: string,
  caller: Place['caller'],
): WordsDefinition[] {
  return writesOfName(step, file, name).map((write) => ({ kind: 'words', at: step, caller, ...write }));
}

function inputDefinitions(name: string, place: Place, repository: Repository): ValueDefinition[] {
  const file = definitionAt(place.at);
  return file.kind === 'action'
    ? actionInput(file, name, place, repository)
    : workflowInput(file, name, place, repository);
}

function actionInput(action: Action, name: string, place: Place, repository: Repository): ValueDefinition[] {
  const { caller } = place;
  const callers = caller?.kind === 'step' ? [caller] : stepsUsing(action, repository);
  const [input] = inputsNamed(action.inputs, name);
  const own: ValueDefinition[] =
    caller === undefined ? [{ kind: 'source', source: { kind: 'input', name, event: '*' }, at: place.at }] : [];
  const find = (): Passed => passedBySteps(callers, name);
  const { passed, silent } = caller === undefined ? passedByAll.get(repository, action, name, find) : find();
  const found = own.concat(passed);
  const byDefault = input?.defaultValue;
  if (byDefault === undefined) return found;
  const places: readonly Place[] =
    callers.length === 0 ? [{ at: place.at }] : silent.map((step) => ({ at: place.at, caller: step }));
  return [...found, ...places.map((each) => ({ ...textDefinition(byDefault, each), via: byDefaultOf(name) }))];
}

interface Passed {
  readonly passed: readonly ValueDefinition[];
  readonly silent: readonly Step[];
}

const passedByAll = new RepositoryMemo<Action, string, Passed>();

function passedBySteps(callers: readonly Step[], name: string): Passed {
  const passed: ValueDefinition[] = [];
  const silent: Step[] = [];
  for (const step of callers) {
    const text = step.with?.get(name)?.value;
    if (text === undefined) silent.push(step);
    else passed.push({ ...textDefinition(text, { at: step }), via: `inputs.${name}` });
  }
  return { passed, silent };
}

function byDefaultOf(name: string): string {
  return `the default of inputs.${name}`;
}

const inputsByName = memoByNode((inputs: readonly Input[]) => {
  const named = new Map<string, Input[]>();
  for (const input of inputs) {
    const name = input.name.toLowerCase();
    const known = named.get(name);
    if (known === undefined) named.set(name, [input]);
    else known.push(input);
  }
  return named;
});

export function inputsNamed(inputs: readonly Input[], name: string): readonly Input[] {
  return inputsByName(inputs).get(name) ?? [];
}

function workflowInput(workflow: Workflow, name: string, place: Place, repository: Repository): ValueDefinition[] {
  const via = `inputs.${name}`;
  const found: ValueDefinition[] = [];
  for (const trigger of workflow.triggers) {
    const [input] = inputsNamed(trigger.inputs, name);
    if (input === undefined) continue;
    const called = trigger.event === 'workflow_call';
    if (!called && (trigger.event !== 'workflow_dispatch' || place.caller !== undefined)) continue;
    const event = called ? 'workflow_call' : 'workflow_dispatch';
    if (place.caller === undefined) {
      found.push({ kind: 'source', source: { kind: 'input', name, event }, at: place.at, input });
    }
    if (!called) {
      found.push(...dispatched(workflow, 'inputs', name, repository).map(through(via)));
      continue;
    }
    const given =
      place.caller?.kind === 'job'
        ? passedBy([place.caller], name, input)
        : passedByCallers.get(repository, workflow, name, () => passedBy(repository.callersOf(workflow), name, input));
    for (const definition of given) found.push(definition);
  }
  return found;
}

const passedByCallers = new RepositoryMemo<Workflow, string, readonly TextDefinition[]>();

function passedBy(callers: readonly Job[], name: string, input: Input): TextDefinition[] {
  const via = `inputs.${name}`;
  return callers.flatMap((caller) => {
    const passed = caller.with?.get(name)?.value;
    if (passed !== undefined) return [{ ...textDefinition(passed, { at: caller }), via, input }];
    if (input.defaultValue === undefined) return [];
    return [{ ...textDefinition(input.defaultValue, { at: caller }), via: byDefaultOf(name), input }];
  });
}

function stepDefinitions(id: string, name: string, place: Place, repository: Repository): ValueDefinition[] {
  const { at, caller } = place;
  const step = stepsById(at.kind === 'step' ? at.parent : at).get(id);
  const reference = step?.uses?.reference;
  if (step === undefined) return [];
  if (reference === undefined) return writtenDefinitions(step, 'output', name, caller);
  if (reference.kind === 'local') return outputsOf(repository.actionAt(reference.path), name, step);
  if (reference.kind !== 'repository') return [];
  const passed = PASSING_ACTIONS[reference.slug]?.flatMap((input) => inputOf(step, input) ?? []);
  if (passed !== undefined) return passed.map((text) => textDefinition(text, { at: step, caller }));
  const used = repository.usedActions.get(step);
  return [
    { kind: 'source', source: { kind: 'output', step, name }, at: step, caller },
    ...(used === undefined ? inputsGivenBack(step, reference.owner, caller) : outputsOf(used, name, step)),
  ];
}

function outputsOf(action: Action | undefined, name: string, caller: Step): ValueDefinition[] {
  const last = action?.steps.at(-1);
  const output = declaredOutput(valueOf(action?.root, 'outputs'), name);
  return output === undefined || last === undefined ? [] : [textDefinition(output, { at: last, caller })];
}

const NEVER_RETURNS_INPUTS: ReadonlySet<string> = new Set(['actions', 'github']);

function inputsGivenBack(step: Step, owner: string, caller: Place['caller']): ValueDefinition[] {
  if (NEVER_RETURNS_INPUTS.has(owner.toLowerCase())) return [];
  return (step.with?.entries ?? [])
    .filter(({ value }) => value.value.includes('${{'))
    .map(({ value }) => ({ ...textDefinition(value, { at: step, caller }), maybeReturned: true }));
}

function jobDefinitions(id: string, name: string, place: Place, repository: Repository): ValueDefinition[] {
  const workflow = jobAt(place)?.workflow;
  const job = workflow === undefined ? undefined : jobNamed(workflow, id);
  if (job === undefined) return [];
  const caller = isInAction(place.at) ? undefined : place.caller;
  const own = job.outputs?.get(name)?.value;
  if (own !== undefined) return [textDefinition(own, { at: job, caller })];
  const reference = job.uses?.reference;
  const called = reference?.kind === 'local' ? repository.workflowAt(reference.path) : undefined;
  const [inside] = called?.jobs ?? [];
  const trigger = called?.triggers.find(({ event }) => event === 'workflow_call');
  const output = declaredOutput(valueOf(trigger?.settings, 'outputs'), name);
  return output === undefined || inside === undefined ? [] : [textDefinition(output, { at: inside, caller: job })];
}

function declaredOutput(outputs: YamlNode | undefined, name: string): Text | undefined {
  if (outputs?.kind !== 'mapping') return undefined;
  for (const { key, value } of outputs.entries.values()) {
    const node = key.text.toLowerCase() === name ? valueOf(value, 'value') : undefined;
    if (node?.kind === 'scalar') return { value: node.text, span: node.span, node };
  }
  return undefined;
}

function matrixDefinitions(key: string, place: Place): ValueDefinition[] {
  const job = jobAt(place);
  if (job?.matrix === undefined) return [];
  const caller = isInAction(place.at) ? undefined : place.caller;
  return textsOfKey(job.matrix, key)
    .filter(({ value }) => value.includes('${{'))
    .map((text) => textDefinition(text, { at: job, caller }));
}

function textsOfKey(matrix: YamlNode, key: string): readonly Text[] {
  if (matrix.kind !== 'mapping' || key === '*') return textsBelow(matrix);
  return [...matrix.entries.values()].flatMap(({ key: { text }, value }) => {
    const name = text.toLowerCase();
    if (name === key) return textsBelow(value);
    if (name !== 'include') return [];
    return value.kind === 'sequence' ? value.items.flatMap((item) => textsOfKey(item, key)) : textsBelow(value);
  });
}
