import { conditionOf, nodesOf } from '#lib/workflow/expressions/expression.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';
import { ANY_EVENT, holds, type Scenario, type Unsuccessful } from './conditions.ts';

const jobsById = memoByNode(({ jobs }: Workflow) => new Map(jobs.map((job) => [job.id.toLowerCase(), job])));

export function jobNamed(workflow: Workflow, id: string): Job | undefined {
  return jobsById(workflow).get(id.toLowerCase());
}

export const jobsNeededBy = memoByNode((job: Job): readonly Job[] => [
  ...new Set(job.needs.flatMap((id) => jobNamed(job.workflow, id) ?? [])),
]);

export const dependentsIn = memoByNode(({ jobs }: Workflow): ReadonlyMap<Job, readonly Job[]> => {
  const dependents = new Map<Job, Job[]>();
  for (const job of jobs) {
    for (const needed of jobsNeededBy(job)) {
      const list = dependents.get(needed);
      if (list === undefined) dependents.set(needed, [job]);
      else list.push(job);
    }
  }
  return dependents;
});

export const neededJobs = memoByNode((job: Job): readonly Job[] => {
  const found = new Set<Job>();
  const queue = [...jobsNeededBy(job)];
  for (let needed = queue.pop(); needed !== undefined; needed = queue.pop()) {
    if (found.has(needed)) continue;
    found.add(needed);
    queue.push(...jobsNeededBy(needed));
  }
  return [...found];
});

const STATUS = /\b(?:always|cancelled|failure|success)\s*\(/i;

export const asksForStatus = memoByNode(({ condition }: Job | Step): boolean => {
  if (condition === undefined || !STATUS.test(condition.value)) return false;
  const { node } = conditionOf(condition);
  return node === undefined || nodesOf(node).some((each) => each.type === 'call' && STATUS.test(`${each.name}(`));
});

export function runsAfter(node: Job | Step, ended: Unsuccessful): boolean {
  return asksForStatus(node) && holds(node.condition, { event: ANY_EVENT, by: 'anyone', ended }) !== false;
}

export function runsAfterFailure(node: Job | Step): boolean {
  return runsAfter(node, 'failure');
}

const ANY_RUN: readonly Scenario[] = [{ event: ANY_EVENT, by: 'anyone' }];

/** Returns the jobs without whose success a job cannot start, in every one of the scenarios. */
export function requiredJobs(job: Job, scenarios = ANY_RUN): readonly Job[] {
  const whenSkipped = barredBySkipping(job);
  return jobsThatMustNotFail(job).filter((each) => whenSkipped.has(each) || runsForCertain(each, scenarios));
}

const jobsThatMustNotFail = memoByNode((job: Job): readonly Job[] =>
  [...jobsBarring(job, 'failure')].filter(({ mapping }) => !mapping.entries.has('continue-on-error')),
);

const barredBySkipping = memoByNode((job: Job) => jobsBarring(job, 'skipped'));

const MAX_BEFORE = 50;
const MAX_JUDGED = 100;

function runsForCertain(job: Job, scenarios: readonly Scenario[]): boolean {
  const before = neededJobs(job);
  if (before.length > MAX_BEFORE) return false;
  return [job, ...before].every(({ condition }) => scenarios.every((scenario) => holds(condition, scenario) === true));
}

function jobsBarring(job: Job, ended: Unsuccessful): ReadonlySet<Job> {
  const found = new Set<Job>();
  const queue = new Set([job]);
  for (const each of queue) {
    const barring = barringAs[ended](each);
    for (const needed of barring ?? neededJobs(each)) found.add(needed);
    if (barring !== undefined) for (const needed of barringAs.skipped(each) ?? []) queue.add(needed);
  }
  return found;
}

const barringAs = {
  failure: memoByNode((job: Job) => barringDirectly(job, 'failure')),
  skipped: memoByNode((job: Job) => barringDirectly(job, 'skipped')),
};

/** Returns undefined if every job of the chain bars this one, as without a status function. */
function barringDirectly(job: Job, ended: Unsuccessful): readonly Job[] | undefined {
  if (!runsAfter(job, ended)) return undefined;
  return jobsNeededBy(job)
    .slice(0, MAX_JUDGED)
    .filter(({ id }) => {
      const results = new Map([[id.toLowerCase(), ended]]);
      return holds(job.condition, { event: ANY_EVENT, by: 'anyone', ended }, results) === false;
    });
}

const READS_NEEDS = /\bneeds\.([\w-]{1,100})\.outputs\b/gi;

const namesRead = memoByNode(
  ({ condition }: Job | Step) =>
    new Set([...(condition?.value ?? '').matchAll(READS_NEEDS)].map(([, name = '']) => name.toLowerCase())),
);

export function jobsRead(node: Job | Step, job: Job): Job[] {
  const read = [namesRead(node), namesRead(job)];
  if (read.every(({ size }) => size === 0)) return [];
  return jobsNeededBy(job).filter(({ id }) => read.some((names) => names.has(id.toLowerCase())));
}
