import { inputOf, usedSteps } from '#lib/workflow/model/action-uses.ts';
import type { Action, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByNode } from '../memo.ts';
import { ANY_EVENT, holds, type Scenario } from './conditions.ts';

/** A step of a job, or one of a composite action that the step `caller` of the job uses, perhaps through others. */
export interface PlacedStep {
  readonly step: Step;
  readonly caller: Step | undefined;
  readonly within?: PlacedStep;
}

const MAX_DEPTH = 4;
/** Bounds actions that use each other, which would double the steps at each level. */
const MAX_STEPS = 2_000;

/**
 * Returns steps with those of the composite actions that they use, each after its caller. Leaves out those that the
 * caller's inputs switch off.
 */
export function withInnerSteps(steps: readonly Step[], repository: Repository): PlacedStep[] {
  const found: PlacedStep[] = [];
  const visit = (placed: PlacedStep, depth: number): void => {
    found.push(placed);
    if (depth >= MAX_DEPTH || found.length >= MAX_STEPS || placed.step.uses === undefined) return;
    for (const inner of calledSteps(placed, repository)) if (found.length < MAX_STEPS) visit(inner, depth + 1);
  };
  for (const step of steps) visit({ step, caller: undefined }, 0);
  return found;
}

function calledSteps(place: PlacedStep, repository: Repository): PlacedStep[] {
  const steps = usedSteps(place.step, repository);
  const action = steps[0]?.parent;
  if (action?.kind !== 'action') return [];
  const scenario = scenarioIn(action, place);
  const { step: caller, caller: outer } = place;
  const placed = outer === undefined ? { caller } : { caller: outer, within: place };
  return steps.filter(({ condition }) => holds(condition, scenario) !== false).map((step) => ({ step, ...placed }));
}

/** True if the inputs that a caller passes to a local action keep this step of the action from running. */
export function isSwitchedOff({ parent, condition }: Step, caller: Step): boolean {
  if (parent.kind === 'job' || condition === undefined) return false;
  return holds(condition, scenarioIn(parent, { step: caller, caller: undefined })) === false;
}

function scenarioIn(action: Action, place: PlacedStep): Scenario {
  const inputs = new Map(
    action.inputs.map(({ name, defaultValue }) => {
      const given = givenInput(place, name) ?? defaultValue;
      return [name.toLowerCase(), given?.value.includes('${{') === true ? undefined : (given?.value ?? '')];
    }),
  );
  return { event: ANY_EVENT, by: 'anyone', inputs };
}

const WHOLE = /^\$\{\{\s*inputs\.([\w-]+)\s*\}\}$/;
const PART = /\$\{\{\s*inputs\.([\w-]+)\s*\}\}/g;

export function givenInput({ step, caller, within }: PlacedStep, name: string): Text | undefined {
  const text = inputOf(step, name);
  const { parent } = step;
  if (text === undefined || caller === undefined || parent.kind !== 'action') return text;
  const given = (input: string): Text | undefined =>
    (within === undefined ? inputOf(caller, input) : givenInput(within, input)) ??
    parent.inputs.find((each) => each.name.toLowerCase() === input.toLowerCase())?.defaultValue;
  const [, whole] = WHOLE.exec(text.value.trim()) ?? [];
  if (whole !== undefined) return given(whole);
  return { ...text, value: text.value.replace(PART, (_, input: string) => given(input)?.value ?? '') };
}

export const stepsById = memoByNode((parent: Step['parent']): ReadonlyMap<string, Step> => {
  const named = parent.steps.map((step) => [step.id?.value.toLowerCase() ?? '', step] as const);
  return new Map(named.reverse());
});
