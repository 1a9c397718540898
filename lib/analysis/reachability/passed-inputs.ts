import { expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Input, Job, Text, Workflow } from '#lib/workflow/model/model.ts';
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
