import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { memoByNode } from '../memo.ts';
import { jobsNeededBy, runsAfterFailure } from '../reachability/outsider-reach.ts';

const FAILS = /\bexit\s+[1-9]/;

/**
 * True if the job fails before this place unless a value matches a pattern as a whole. Only unconditional steps count,
 * here or in jobs that must succeed first.
 */
export function isSanitizedBefore(path: string, at: Step | Job): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (at.kind === 'step' && failingSteps(at.parent).some((step) => step.index < at.index && checks(step, path)))
    return true;
  return job !== undefined && failingStepsBefore(job).some((step) => checks(step, path));
}

const failingSteps = memoByNode(({ steps }: Step['parent']): readonly Step[] =>
  steps.filter(({ run, condition, mapping }) => {
    const script = run?.value ?? '';
    if (!script.includes('=~') || !FAILS.test(script)) return false;
    return condition === undefined && !mapping.entries.has('continue-on-error');
  }),
);

const failingStepsBefore = memoByNode((job: Job): readonly Step[] => jobsThatSucceed(job).flatMap(failingSteps));

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
