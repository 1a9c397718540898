import { innerSteps, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

/** A step of a job, or one of the composite action that the step `caller` of the job uses. */
export interface PlacedStep {
  readonly step: Step;
  readonly caller: Step | undefined;
}

/** Returns steps with those of the local composite actions that they use, each after its caller. */
export function withInnerSteps(steps: readonly Step[], repository: Repository): PlacedStep[] {
  return steps.flatMap((step) => [
    { step, caller: undefined },
    ...innerSteps(step, repository).map((inner) => ({ step: inner, caller: step })),
  ]);
}

const WHOLE = /^\$\{\{\s*inputs\.([\w-]+)\s*\}\}$/;
const PART = /\$\{\{\s*inputs\.([\w-]+)\s*\}\}/g;

/** Returns an input of a step with what the caller passes, or the default, in place of `inputs`. */
export function givenInput({ step, caller }: PlacedStep, name: string): Text | undefined {
  const text = inputOf(step, name);
  const { parent } = step;
  if (text === undefined || caller === undefined || parent.kind !== 'action') return text;
  const given = (input: string): Text | undefined =>
    inputOf(caller, input) ??
    parent.inputs.find((each) => each.name.toLowerCase() === input.toLowerCase())?.defaultValue;
  const [, whole] = WHOLE.exec(text.value.trim()) ?? [];
  if (whole !== undefined) return given(whole);
  return { ...text, value: text.value.replace(PART, (_, input: string) => given(input)?.value ?? '') };
}
