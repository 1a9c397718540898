import { conditionOf, type ExpressionNode } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { RepositoryMemo } from '../memo.ts';
import { evaluates } from '../reachability/conditions.ts';
import { requiredJobs } from '../reachability/needed-jobs.ts';
import type { OutsiderEvent } from '../reachability/outsider-reach.ts';

/**
 * True if a condition of the job, its step, a job it waits for or a caller, or the trigger's list of branches, leaves
 * a value of the event only those that the files name.
 */
export function isLimited(
  path: string,
  at: Step | Job,
  started: Pick<OutsiderEvent, 'event' | 'trigger'>,
  repository: Repository,
): boolean {
  const names = HEAD_REF.includes(path) ? HEAD_REF : [path];
  if (names.includes(FOLLOWED_BRANCH) && namesItsBranches(started.trigger.branches)) return true;
  return isLimitedAt(names, at, started.event, repository, 0);
}

const HEAD_REF = ['github.head_ref', 'github.event.pull_request.head.ref'];
const FOLLOWED_BRANCH = 'github.event.workflow_run.head_branch';

const MAX_CALLS = 2;
const MAX_CALLERS = 20;

function isLimitedAt(
  names: readonly string[],
  at: Step | Job,
  event: string,
  repository: Repository,
  depth: number,
): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (at.kind === 'step' && limits(at.condition, names, event, repository)) return true;
  if (job === undefined) return false;
  if ([job, ...requiredJobs(job)].some(({ condition }) => limits(condition, names, event, repository))) return true;
  const { workflow } = job;
  const callers = repository.callersOf(workflow);
  return (
    depth < MAX_CALLS &&
    callers.length > 0 &&
    callers.length <= MAX_CALLERS &&
    workflow.triggers.every((trigger) => trigger.event === 'workflow_call') &&
    callers.every((caller) => isLimitedAt(names, caller, event, repository, depth + 1))
  );
}

const limitsOf = new RepositoryMemo<Text, string, boolean>();

function limits(condition: Text | undefined, names: readonly string[], event: string, repository: Repository): boolean {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  if (condition === undefined || node === undefined) return false;
  const find = (): boolean => names.some((name) => implies(node, name, event));
  return limitsOf.get(repository, condition, `${event} ${names.join(' ')}`, find);
}

function implies(node: ExpressionNode, name: string, event: string): boolean {
  if (node.type === 'and') return node.args.some((arg) => implies(arg, name, event));
  if (node.type === 'or')
    return node.args.every((arg) => implies(arg, name, event) || evaluates(arg, { event }) === false);
  if (node.type === 'compare') {
    const [left, right] = node.args;
    return node.operator === '==' && (isNamed(left, right, name) || isNamed(right, left, name));
  }
  if (node.type !== 'call' || node.name !== 'contains') return false;
  const [list, item] = node.args;
  return isList(list) && item?.type === 'access' && item.path.join('.') === name;
}

function isNamed(subject: ExpressionNode | undefined, value: ExpressionNode | undefined, name: string): boolean {
  if (subject?.type !== 'access' || subject.path.join('.') !== name || value === undefined) return false;
  return value.type === 'literal' || (value.type === 'access' && OF_REPOSITORY.test(value.path.join('.')));
}

const OF_REPOSITORY = /^(?:vars\.[^.*]+|github\.event\.repository\.default_branch)$/;

function isList(node: ExpressionNode | undefined): boolean {
  if (node?.type !== 'call' || node.name !== 'fromjson') return false;
  const [text] = node.args;
  return text?.type === 'literal' && /^\s*\[/.test(String(text.value));
}

function namesItsBranches(branches: readonly string[] = []): boolean {
  return branches.length > 0 && branches.every((pattern) => !/^!|[*?+[]/.test(pattern));
}
