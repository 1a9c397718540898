import { runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Trigger } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { RepositoryMemo } from '../memo.ts';
import { PULL_REQUEST_EVENTS } from '../reachability/events.ts';
import type { OutsiderEvent } from '../reachability/outsider-reach.ts';
import { checkoutsIn, isGuarded } from './checkouts.ts';
import { namedCommits } from './git-checkouts.ts';
import { type PullRequestCode, PullRequestNames } from './pull-request-refs.ts';
import { RefTracer } from './ref-provenance.ts';

const printsByJob = new RepositoryMemo<Job, Trigger, ReadonlyMap<ShellCommand, PullRequestCode>>();

/**
 * True if a command of git in a step prints what the author of a pull request chose: it names a commit of theirs, or
 * their code is checked out. Without the command, only the checkout counts.
 */
export function printsPullRequest(
  command: ShellCommand | undefined,
  step: Step,
  { event, trigger, reach }: OutsiderEvent,
  repository: Repository,
): boolean {
  const job = jobOf(step);
  if (job === undefined) return false;
  const before = job.steps.slice(0, step.index + 1);
  if (reach !== 'outsider-privileged' && PULL_REQUEST_EVENTS.has(event)) {
    return before.some((each) => runsAction(each, 'actions/checkout'));
  }
  const foreign = checkoutsIn(job, { event, trigger }, repository).some(
    (checkout) => checkout.foreign !== undefined && checkout.step.index <= step.index && !isGuarded(checkout),
  );
  if (foreign || command === undefined) return foreign;
  const prints = printsByJob.get(
    repository,
    job,
    trigger,
    () =>
      namedCommits(job.steps, new RefTracer(repository, event), new PullRequestNames(event, trigger, repository))
        .printed,
  );
  return prints.has(command);
}
