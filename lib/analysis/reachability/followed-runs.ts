import { conditionOf, type ExpressionNode } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByNode } from '../memo.ts';
import { ON_DEFAULT_BRANCH } from './events.ts';
import { jobsNeededBy } from './needed-jobs.ts';
import { mayRun, type OutsiderEvent, scenariosOf } from './outsider-reach.ts';

const MAX_DEPTH = 10;

/**
 * False if a job or step never follows a run on an outsider's branch: comments and issues start runs on the default
 * branch.
 */
export function followsOutsiderBranch(node: Job | Step, { event, trigger, followed }: OutsiderEvent): boolean {
  if (followed === undefined) return true;
  return followed.some(
    (each) =>
      !ON_DEFAULT_BRANCH.has(each) &&
      scenariosOf({ event, trigger, followed: [each] }).some((scenario) => mayRun(node, scenario)),
  );
}

/**
 * True if a job or step follows only runs of pull requests, which forks open too: its condition says so, or that of a
 * job it waits for, or it reads the pull requests of the run.
 */
export function followsPullRequests(node: Job | Step, repository: Repository, depth = 0): boolean {
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined || depth > MAX_DEPTH) return false;
  if (asksForPullRequest(node) || asksForPullRequest(job) || readsPullRequests(job)) return true;
  if (jobsNeededBy(job).some((needed) => asksForPullRequest(needed))) return true;
  const callers = repository.callersOf(job.workflow);
  return callers.length > 0 && callers.every((caller) => followsPullRequests(caller, repository, depth + 1));
}

const READS_PULL_REQUESTS = /\bworkflow_run\.pull_requests\b/;

const readsPullRequests = memoByNode(({ steps }: Job): boolean =>
  steps.some(({ run, with: inputs, env }) =>
    [run, ...(inputs?.entries ?? []).map(({ value }) => value), ...(env?.entries ?? []).map(({ value }) => value)].some(
      (text) => text !== undefined && READS_PULL_REQUESTS.test(text.value),
    ),
  ),
);

const asksForPullRequest = memoByNode(({ condition }: Job | Step): boolean => {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  return node !== undefined && impliesPullRequest(node);
});

function impliesPullRequest(node: ExpressionNode): boolean {
  if (node.type === 'and') return node.args.some(impliesPullRequest);
  if (node.type === 'or') return node.args.every(impliesPullRequest);
  if (node.type !== 'compare' || node.operator !== '==') return false;
  const [left, right] = node.args;
  return isRunEvent(left, right) || isRunEvent(right, left);
}

function isRunEvent(subject: ExpressionNode | undefined, other: ExpressionNode | undefined): boolean {
  return (
    subject?.type === 'access' &&
    subject.path.join('.') === 'github.event.workflow_run.event' &&
    other?.type === 'literal' &&
    String(other.value).toLowerCase() === 'pull_request'
  );
}
