import type { Action, Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository } from '../memo.ts';

const MAX_PARTS = 30;

interface Users {
  readonly jobs: Set<Job>;
  readonly actions: Set<Action>;
}

const usersOf = memoByRepository(findUsers);

export function jobsUsingAction(action: Action, repository: Repository): ReadonlySet<Job> {
  const users = usersOf(repository);
  const jobs = new Set<Job>();
  const serving = new Set([action]);
  for (const each of serving) {
    for (const job of users.get(each)?.jobs ?? []) jobs.add(job);
    for (const user of users.get(each)?.actions ?? []) serving.add(user);
  }
  return jobs;
}

function findUsers(repository: Repository): Map<Action, Users> {
  const users = new Map<Action, Users>();
  const add = (step: Step): void => {
    const action = ownActionOf(step, repository);
    if (action === undefined) return;
    const known = users.get(action) ?? { jobs: new Set(), actions: new Set() };
    users.set(action, known);
    if (step.parent.kind === 'job') known.jobs.add(step.parent);
    else known.actions.add(step.parent);
  };
  for (const { jobs } of repository.workflows) for (const { steps } of jobs) steps.forEach(add);
  for (const { steps } of repository.actions) steps.forEach(add);
  return users;
}

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
