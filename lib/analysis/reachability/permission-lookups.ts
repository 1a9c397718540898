import { COMMAND_ACTIONS } from '#lib/data/curated/pull-request-actions.ts';
import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTest } from '#lib/workflow/expressions/identity.ts';
import { type Job, type Step, sourceOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { memoInRepository } from '../memo.ts';
import { withInnerSteps } from './composites.ts';
import { endsInFailure, neededJobs } from './outsider-reach.ts';

const PERMISSION_CHECK_ACTIONS: ReadonlySet<string> = new Set([
  'actions-cool/check-user-permission',
  'lannonbr/repo-permission-check-action',
  'prince-chrismc/check-actor-permissions-action',
  'scherermichael-oss/action-has-permission',
  'sushichop/action-repository-permission',
  'tspascoal/get-user-teams-membership',
  'im-open/is-actor-authorized',
  'morfien101/actions-authorized-user',
  'skjnldsv/check-actor-permission',
  'the-actions-org/check-team-membership',
]);

/** True if the permission of a person is looked up before a job or step, perhaps in a local composite action. */
export function looksUpPermission(node: Job | Step, repository: Repository): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return false;
  if (firstLookup(job, repository) < (node.kind === 'step' ? node.index : job.steps.length)) return true;
  const needed = neededJobs(job);
  if (needed.some((each) => firstLookup(each, repository) < each.steps.length)) return true;
  const conditions = [node.condition, job.condition].flatMap((text) => text?.value ?? []);
  return (
    conditions.length > 0 &&
    approvingOutputs(job, needed).some((name) => conditions.some((text) => text.includes(name)))
  );
}

/** Outputs by which an action says that the author of a comment may run the command. */
function approvingOutputs(job: Job, needed: readonly Job[]): string[] {
  const own = job.steps.flatMap((step) => approvalIn(step) ?? []);
  const passed = needed.flatMap(({ id, steps, outputs }) => {
    const names = steps.flatMap((step) => approvalIn(step) ?? []);
    return (outputs?.entries ?? []).flatMap(({ name, value }) =>
      names.some((each) => value.value.includes(each)) ? [`needs.${id}.outputs.${name}`] : [],
    );
  });
  return [...own, ...passed];
}

function approvalIn({ id, uses }: Step): string | undefined {
  const slug = uses?.reference?.kind === 'repository' ? uses.reference.slug : '';
  const known = COMMAND_ACTIONS[slug];
  return known === undefined || id === undefined ? undefined : `steps.${id.value}.outputs.${known.approves}`;
}

const firstLookup = memoInRepository(({ steps }: Job, repository): number => {
  const found = withInnerSteps(steps, repository).find(({ step }) => isPermissionLookup(step));
  return (found?.caller ?? found?.step)?.index ?? Number.POSITIVE_INFINITY;
});

/** Events that an outsider can make a bot act last on. */
const ARRANGEABLE: ReadonlySet<string> = new Set(['pull_request', 'pull_request_target', 'workflow_run']);

/** True if a step that refuses people without rights is skipped for a bot, whom an outsider can make act. */
export function refusalSkipsBot(node: Job | Step, event: string, repository: Repository): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined || !ARRANGEABLE.has(event)) return false;
  if (firstSkippingBot(job, repository) < (node.kind === 'step' ? node.index : job.steps.length)) return true;
  return neededJobs(job).some((each) => firstSkippingBot(each, repository) < each.steps.length);
}

const firstSkippingBot = memoInRepository(({ steps }: Job, repository): number => {
  const index = steps.findIndex(
    (step) =>
      skippedFor(step) !== undefined &&
      withInnerSteps([step], repository).some((placed) => endsInFailure(placed.step) || checksPermission(placed.step)),
  );
  return index === -1 ? Number.POSITIVE_INFINITY : index;
});

/** Returns the bot for which a step is skipped. */
export function skippedFor({ condition }: Job | Step): IdentityTest | undefined {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  const parts = node?.type === 'and' ? node.args : node === undefined ? [] : [node];
  return parts.map(identityTest).find((test) => test?.kind === 'bot' && test.negated);
}

function checksPermission({ uses, id, parent }: Step): boolean {
  const reference = uses?.reference;
  if (reference?.kind !== 'repository' || !PERMISSION_CHECK_ACTIONS.has(reference.slug)) return false;
  // Some only say what they found: it has to decide something.
  return (
    !NEVER_FAIL.has(reference.slug) || (id !== undefined && sourceOf(parent).text.includes(`steps.${id.value}.outputs`))
  );
}

const NEVER_FAIL: ReadonlySet<string> = new Set([
  'actions-cool/check-user-permission',
  'im-open/is-actor-authorized',
  'prince-chrismc/check-actor-permissions-action',
  'scherermichael-oss/action-has-permission',
  'tspascoal/get-user-teams-membership',
]);

const LOOKUP_CALL =
  /getCollaboratorPermissionLevel|get(?:User)?MembershipFor(?:User|AuthenticatedUser)\w*|check(?:Public)?MembershipForUser|checkCollaborator|check_membership|author_?association/i;
const LOOKUP_ROUTE = /\/(?:collaborators|memberships|members)\//;

function isPermissionLookup(step: Step): boolean {
  if (checksPermission(step)) return true;
  const script = step.with?.get('script')?.value.value ?? '';
  const route = step.with?.get('route')?.value.value ?? '';
  if (LOOKUP_CALL.test(script) || LOOKUP_ROUTE.test(script) || LOOKUP_ROUTE.test(route)) return true;
  const commands = commandsOf(step);
  if (commands.length === 0) return LOOKUP_ROUTE.test(step.run?.value ?? '');
  return commands.some((command) => LOOKUP_ROUTE.test(command.text));
}
