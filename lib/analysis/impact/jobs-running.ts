import type { Action, Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository, memoInRepository } from '../memo.ts';
import { isSwitchedOff } from '../reachability/composites.ts';

const MAX_PARTS = 30;

export const jobsRunning = memoInRepository((step: Step, repository): ReadonlySet<Job> => {
  const callers = callersOf(repository);
  const jobs = new Set<Job>();
  const serving = new Set([step]);
  for (const each of serving) {
    const { parent } = each;
    if (parent.kind === 'job') jobs.add(parent);
    else for (const caller of callers.get(parent) ?? []) if (!isSwitchedOff(each, caller)) serving.add(caller);
  }
  return jobs;
});

const callersOf = memoByRepository((repository): ReadonlyMap<Action, readonly Step[]> => {
  const callers = new Map<Action, Step[]>();
  const add = (step: Step): void => {
    const action = ownActionOf(step, repository);
    if (action === undefined) return;
    const known = callers.get(action);
    if (known === undefined) callers.set(action, [step]);
    else known.push(step);
  };
  for (const { jobs } of repository.workflows) for (const { steps } of jobs) steps.forEach(add);
  for (const { steps } of repository.actions) steps.forEach(add);
  return callers;
});

function ownActionOf(step: Step, repository: Repository): Action | undefined {
  const reference = step.uses?.reference;
  if (reference?.kind === 'repository') {
    const own = reference.slug === repository.fullName ? repository.actionAt(reference.path) : undefined;
    return own ?? repository.usedActions.get(step);
  }
  if (reference?.kind !== 'local') return undefined;
  const parts = reference.path.split('/').slice(0, MAX_PARTS);
  for (let from = 0; from < parts.length; from += 1) {
    const action = repository.actionAt(parts.slice(from).join('/'));
    if (action !== undefined) return action;
  }
  return undefined;
}
