import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { memoByNode } from '../memo.ts';
import { jobsNeededBy, runsAfterFailure } from '../reachability/outsider-reach.ts';

const FAILS = /\bexit\s+[1-9]/;

/**
 * Whether a job ends, before it comes to a place, unless a value is like a pattern as a whole: a step before the place, or of
 * a job that has to succeed first, is given the value, compares it and fails. A step with a condition may not run.
 */
export function isSanitizedBefore(path: string, at: Step | Job): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (at.kind === 'step' && failingSteps(at.parent).some((step) => step.index < at.index && checks(step, path)))
    return true;
  return job !== undefined && failingStepsBefore(job).some((step) => checks(step, path));
}

/** The steps that always run and fail by a comparison with a pattern. */
const failingSteps = memoByNode(({ steps }: Step['parent']): readonly Step[] =>
  steps.filter(({ run, condition, mapping }) => {
    const script = run?.value ?? '';
    if (!script.includes('=~') || !FAILS.test(script)) return false;
    return condition === undefined && !mapping.entries.has('continue-on-error');
  }),
);

/** Those of the jobs that a job waits for. */
const failingStepsBefore = memoByNode((job: Job): readonly Step[] => jobsThatSucceed(job).flatMap(failingSteps));

/** The jobs without whose success a job does not run. */
function jobsThatSucceed(job: Job): Job[] {
  if (job.needs.length === 0) return [];
  const found = new Set<Job>();
  const queue = [job];
  for (let each = queue.pop(); each !== undefined; each = queue.pop()) {
    if (runsAfterFailure(each)) continue;
    for (const needed of jobsNeededBy(each)) {
      if (found.has(needed) || needed.mapping.entries.has('continue-on-error')) continue;
      found.add(needed);
      queue.push(needed);
    }
  }
  return [...found];
}

function checks(step: Step, path: string): boolean {
  return (step.env?.entries ?? []).some(({ name, value }) => {
    const [expression, ...others] = expressionsIn(value);
    if (expression?.node === undefined || others.length > 0 || !/^\$\{\{[^{}]*\}\}$/.test(value.value.trim()))
      return false;
    const paths = accessedPaths(expression.node);
    return (
      expression.node.type === 'access' &&
      paths.length === 1 &&
      paths[0] === path &&
      ScriptIndex.of(step).isChecked(name)
    );
  });
}
