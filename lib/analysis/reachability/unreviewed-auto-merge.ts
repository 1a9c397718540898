import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { maskExpressions } from '#lib/workflow/shell/shell.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { approvalBefore } from './approvals.ts';
import { autoMergeStep } from './auto-merge-steps.ts';
import { holds, type Scenario } from './conditions.ts';
import { type OutsiderEvent, scenariosOf } from './outsider-reach.ts';

const ACTS_ON_EVERY_PULL_REQUEST: ReadonlySet<string> = new Set([
  'actions/github-script',
  'andrewmusgrave/automatic-pull-request-review',
  'hmarr/auto-approve-action',
  'juliangruber/approve-pull-request-action',
  'peter-evans/enable-pull-request-automerge',
]);

const PREPARES: ReadonlySet<string> = new Set([
  'actions/checkout',
  'actions/create-github-app-token',
  'step-security/harden-runner',
]);

const DECIDES = /\b(?:if|case|while|until|test|exit|grep|jq|return|throw|switch)\b|\[|&&|\|\||\?[^.]/;

const BY_AUTHOR: ReadonlySet<string | undefined> = new Set([
  'edited',
  'opened',
  'ready_for_review',
  'reopened',
  'synchronize',
]);

/**
 * True if a step merges or approves every outsider's pull request, because nothing before it distinguishes them.
 * Anything uncertain counts as a check.
 */
export function mergesUnreviewed(step: Step, event: OutsiderEvent, repository: Repository): boolean {
  const job = jobOf(step);
  if (job === undefined || job.needs.length > 0 || event.event !== 'pull_request_target') return false;
  if (approvalBefore(step, event, repository) !== undefined || job.workflow !== event.workflow) return false;
  if (!isPlain(step, repository) || firstDeciding(job, repository) < step.index) return false;
  return scenariosOf(event).some((scenario) => BY_AUTHOR.has(scenario.action) && runsForCertain([job, step], scenario));
}

function runsForCertain(nodes: readonly (Job | Step)[], scenario: Scenario): boolean {
  return nodes.every(({ condition }) => holds(condition, { ...scenario, identity: 'other', labels: 'none' }) === true);
}

const firstDeciding = memoInRepository(({ steps }: Job, repository) => {
  const index = steps.findIndex((step) => !preparesOrMerges(step, repository));
  return index === -1 ? Number.POSITIVE_INFINITY : index;
});

function isPlain(step: Step, repository: Repository): boolean {
  const inner = autoMergeStep(step, repository)?.stepsUpToIt;
  return inner === undefined ? isPlainItself(step) : areAllPlain(inner);
}

const areAllPlain = memoByNode((steps: readonly Step[]): boolean =>
  steps.every((step) => step.condition === undefined && (isPreparation(step) || isPlainItself(step))),
);

const isPlainItself = memoByNode((step: Step): boolean => {
  const action = actionOf(step);
  if (action === undefined) return step.run !== undefined && !DECIDES.test(maskExpressions(step.run));
  if (!ACTS_ON_EVERY_PULL_REQUEST.has(action.slug)) return false;
  return action.slug !== 'actions/github-script' || !DECIDES.test(inputOf(step, 'script')?.value ?? '');
});

function isPreparation(step: Step): boolean {
  return PREPARES.has(actionOf(step)?.slug ?? '');
}

function preparesOrMerges(step: Step, repository: Repository): boolean {
  return isPreparation(step) || (autoMergeStep(step, repository) !== undefined && isPlain(step, repository));
}
