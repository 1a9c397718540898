import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { memoInRepository } from '../memo.ts';
import { type PlacedStep, withInnerSteps } from '../reachability/composites.ts';
import { requiredJobs, runsAfterFailure } from '../reachability/needed-jobs.ts';

/**
 * True if the job fails before this place unless a value matches a pattern as a whole. Only unconditional steps count,
 * here, in local composite actions, or in jobs that must succeed first.
 */
export function isSanitizedBefore(path: string, at: Step | Job, repository: Repository): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (at.kind === 'step' && !runsAfterFailure(at)) {
    if (HEAD_BRANCH.test(path) && isFoundBefore(path, at)) return true;
    const failing = failingSteps(at.parent, repository);
    if (failing.some((placed) => (placed.caller ?? placed.step).index < at.index && checks(placed, path))) return true;
  }
  return job !== undefined && failingStepsBefore(job, repository).some((placed) => checks(placed, path));
}

const HEAD_BRANCH = /^github\.(?:head_ref|event\.(?:workflow_run\.head_branch|pull_request\.head\.ref))$/;

/** A checkout of the repository itself fails unless one of its own branches or tags has this name. */
function isFoundBefore(path: string, at: Step): boolean {
  return at.parent.steps.slice(0, at.index).some((step) => {
    const ref = runsAction(step, 'actions/checkout') && endsItsJob(step) ? inputOf(step, 'ref') : undefined;
    if (ref === undefined || inputOf(step, 'repository') !== undefined) return false;
    const [expression, ...others] = expressionsIn(ref);
    if (expression?.node === undefined || others.length > 0 || !/^\$\{\{[^{}]*\}\}$/.test(ref.value.trim()))
      return false;
    const paths = accessedPaths(expression.node);
    return paths.includes(path) && paths.every((each) => each === path || each === 'github.event_name');
  });
}

const failingSteps = memoInRepository(({ steps }: Step['parent'], repository): readonly PlacedStep[] =>
  withInnerSteps(steps, repository).filter((placed) => {
    if (placed.step.run?.value.includes('=~') !== true) return false;
    return [placed.step, placed.within?.step, placed.caller].every((step) => step === undefined || endsItsJob(step));
  }),
);

function endsItsJob({ condition, mapping }: Step): boolean {
  return condition === undefined && !mapping.entries.has('continue-on-error');
}

const failingStepsBefore = memoInRepository((job: Job, repository): readonly PlacedStep[] =>
  requiredJobs(job).flatMap((each) => failingSteps(each, repository)),
);

function checks({ step, caller, within }: PlacedStep, path: string): boolean {
  return (step.env?.entries ?? []).some(({ name, value }) => {
    const input = caller === undefined ? undefined : INPUT.exec(value.value.trim())?.[1];
    const text = input === undefined ? value : inputOf(within?.step ?? caller ?? step, input);
    const own = caller === undefined || (input !== undefined && within === undefined) || path.startsWith('github.');
    return own && text !== undefined && isJust(path, text) && ScriptIndex.of(step).refuses(name);
  });
}

const INPUT = /^\$\{\{\s*inputs\.([\w-]+)\s*\}\}$/;

function isJust(path: string, text: Text): boolean {
  const [expression, ...others] = expressionsIn(text);
  if (expression?.node === undefined || others.length > 0 || !/^\$\{\{[^{}]*\}\}$/.test(text.value.trim()))
    return false;
  const paths = accessedPaths(expression.node);
  return expression.node.type === 'access' && paths.length === 1 && paths[0] === path;
}
