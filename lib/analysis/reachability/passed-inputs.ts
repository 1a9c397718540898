import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Input, Job, Text, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository } from '../memo.ts';
import type { Scenario } from './conditions.ts';

type Inputs = NonNullable<Scenario['inputs']>;
type Value = ReturnType<Inputs['get']>;

const MAX_INPUTS = 50;
const MAX_VALUE = 200;

const NEVER_EMPTY_NOR_COMPARED =
  /^github\.(?:run_id|run_number|sha|repository|event\.(?:number|(?:issue|pull_request)\.number|pull_request\.head\.sha|workflow_run\.(?:id|head_sha)|comment\.id))$/;

/**
 * Returns what a caller passes to the inputs of a called workflow, by lower-case name; undefined where it is not known.
 * `own` are the inputs of the caller’s workflow.
 */
export function passedInputs(called: Workflow, caller: Job, own: Inputs | undefined): Inputs | undefined {
  const declared = called.triggers.find(({ event }) => event === 'workflow_call')?.inputs ?? [];
  if (declared.length === 0 || declared.length > MAX_INPUTS) return undefined;
  return new Map(
    declared.map((input) => {
      const given = caller.with?.get(input.name)?.value ?? input.defaultValue;
      return [input.name.toLowerCase(), given === undefined ? emptyOf(input) : valueOf(given, input, own)];
    }),
  );
}

type Start = Inputs | undefined;

const MAX_CALL_DEPTH = 10;
const MAX_STARTS = 50;
export const NO_INPUTS: Inputs = new Map();
const ANYTHING: readonly Start[] = [undefined];

const startsByWorkflow = memoByRepository((repository): ReadonlyMap<Workflow, readonly Start[]> => {
  const found = new Map(
    repository.workflows.map((workflow) => [workflow, keyed(ownStarts(workflow, repository))] as const),
  );
  let passed = new Map([...found].map(([workflow, starts]) => [workflow, [...starts.values()]] as const));
  for (let depth = 0; depth < MAX_CALL_DEPTH && passed.size > 0; depth += 1) {
    const next = new Map<Workflow, readonly Start[]>();
    for (const [workflow, known] of found) {
      const added = new Map<string, Start>();
      for (const caller of repository.callersOf(workflow)) {
        for (const own of passed.get(caller.workflow) ?? []) {
          const inputs = known.size + added.size >= MAX_STARTS ? undefined : passedInputs(workflow, caller, own);
          if (!known.has(keyOf(inputs))) added.set(keyOf(inputs), inputs);
        }
      }
      for (const [key, inputs] of added) known.set(key, inputs);
      if (added.size > 0) next.set(workflow, [...added.values()]);
    }
    passed = next;
  }
  return new Map([...found].map(([workflow, starts]) => [workflow, [...starts.values()]]));
});

/**
 * Returns the inputs with which a workflow starts in its repository; undefined where they can be anything, as for one
 * that people start by hand or that nothing here calls.
 */
export function startingInputs(workflow: Workflow, repository: Repository): readonly (Inputs | undefined)[] {
  return startsByWorkflow(repository).get(workflow) ?? ANYTHING;
}

function ownStarts(workflow: Workflow, repository: Repository): readonly Start[] {
  const called = repository.callersOf(workflow).length > 0;
  return workflow.triggers.flatMap(({ event }): readonly Start[] => {
    if (event === 'workflow_call') return called ? [] : ANYTHING;
    return event === 'workflow_dispatch' ? ANYTHING : [NO_INPUTS];
  });
}

function keyed(starts: readonly Start[]): Map<string, Start> {
  return new Map(starts.map((inputs) => [keyOf(inputs), inputs]));
}

function keyOf(inputs: Start): string {
  return inputs === undefined ? '' : JSON.stringify([...inputs]);
}

function emptyOf({ type }: Input): Value {
  return type === 'boolean' ? false : type === 'number' ? 0 : '';
}

function valueOf(text: Text, { type }: Input, own: Inputs | undefined): Value {
  const value = text.value.trim();
  if (value.length > MAX_VALUE) return undefined;
  if (!value.includes('${{')) return typed(value, type);
  const [expression, ...more] = expressionsIn(text);
  const whole = /^\$\{\{[^{}]*\}\}$/.test(value);
  if (expression?.node?.type === 'literal' && whole && more.length === 0) return expression.node.value ?? '';
  if (expression?.node?.type !== 'access' || !whole || more.length > 0) return undefined;
  const path = expression.node.path.join('.');
  if (NEVER_EMPTY_NOR_COMPARED.test(path)) return `<${path}>`;
  return path.startsWith('inputs.') ? own?.get(path.slice('inputs.'.length)) : undefined;
}

function typed(value: string, type: string): Value {
  if (type === 'boolean') return /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined;
  if (type === 'number') return Number.isNaN(Number(value)) ? undefined : Number(value);
  return value;
}
