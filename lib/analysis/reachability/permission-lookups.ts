import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTest } from '#lib/workflow/expressions/identity.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { memoInRepository } from '../memo.ts';
import { withInnerSteps } from './composites.ts';
import { endsInFailure, neededJobs } from './outsider-reach.ts';
import { asksForPermission, firstDecision, keepsOut, refusesAlone, reportsPermission } from './permission-outputs.ts';

export function looksUpPermission(node: Job | Step, repository: Repository): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return false;
  if (firstLookup(job, repository) < (node.kind === 'step' ? node.index : job.steps.length)) return true;
  const needed = neededJobs(job);
  if (needed.some((each) => firstLookup(each, repository) < each.steps.length)) return true;
  return [node, job, ...needed, ...(node.kind === 'job' ? job.steps : [])].some((each) =>
    keepsOut(each, each.kind === 'step' ? job : each),
  );
}

const firstLookup = memoInRepository((job: Job, repository): number => {
  const found = withInnerSteps(job.steps, repository).find(({ step, caller }) =>
    caller === undefined ? isPermissionLookup(step) : isPermissionLookup(step) || reportsPermission(step),
  );
  const index = (found?.caller ?? found?.step)?.index ?? Number.POSITIVE_INFINITY;
  return Math.min(index, firstDecision(job));
});

const ARRANGEABLE: ReadonlySet<string> = new Set(['pull_request', 'pull_request_target', 'workflow_run']);

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
      withInnerSteps([step], repository).some((placed) => endsInFailure(placed.step) || refusesAlone(placed.step)),
  );
  return index === -1 ? Number.POSITIVE_INFINITY : index;
});

export function skippedFor({ condition }: Job | Step): IdentityTest | undefined {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  const parts = node?.type === 'and' ? node.args : node === undefined ? [] : [node];
  return parts.map(identityTest).find((test) => test?.kind === 'bot' && test.negated);
}

const LOOKUP_CALL =
  /getCollaboratorPermissionLevel|get(?:User)?MembershipFor(?:User|AuthenticatedUser)\w*|check(?:Public)?MembershipForUser|checkCollaborator|check_membership|author_?association/i;
const LOOKUP_ROUTE = /\/(?:collaborators|memberships|members)\//;

function isPermissionLookup(step: Step): boolean {
  if (refusesAlone(step)) return true;
  if (asksForPermission(step)) return false;
  const script = step.with?.get('script')?.value.value ?? '';
  const route = step.with?.get('route')?.value.value ?? '';
  if (LOOKUP_CALL.test(script) || LOOKUP_ROUTE.test(script) || LOOKUP_ROUTE.test(route)) return true;
  const commands = commandsOf(step);
  if (commands.length === 0) return LOOKUP_ROUTE.test(step.run?.value ?? '');
  const asking = commands.filter((command) => LOOKUP_ROUTE.test(command.text) || findsInList(command));
  return asking.length > 0 && !asking.some((command) => asksForNameInFile(command, step));
}

const LIST_ROUTE = /\/(?:collaborators|members)(?=["'\s?]|$)/;
const FINDS = /\.login\b|\bgrep\b/;
const PERSON = /actor|author|comment|login|sender|user/i;

function findsInList({ text, pipeline, program }: ShellCommand): boolean {
  if (!/^(?:gh|curl|hub)$/.test(program) || !LIST_ROUTE.test(text)) return false;
  return pipeline.some(
    (command) =>
      FINDS.test(command.text) && command.args.some(({ variables }) => variables.some((name) => PERSON.test(name))),
  );
}

/** The author of an artifact chooses the names in it, which can be those of members. */
function asksForNameInFile({ args }: ShellCommand, step: Step): boolean {
  const script = ScriptIndex.of(step);
  return args.some(
    ({ value, text, variables }) =>
      LOOKUP_ROUTE.test(value) &&
      (readsFile(text) || variables.some((name) => script.assignmentsOf(name).some((each) => readsFile(each.text)))),
  );
}

function readsFile(text: string): boolean {
  return /\$\(\s*(?:<|(?:cat|head|jq|tail)\b)/.test(text) && !text.includes('GITHUB_EVENT_PATH');
}
