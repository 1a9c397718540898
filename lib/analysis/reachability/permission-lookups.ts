import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTest } from '#lib/workflow/expressions/identity.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { withInnerSteps } from './composites.ts';
import type { Scenario } from './conditions.ts';
import { withoutComments } from './fork-refusals.ts';
import { jobsRead, neededJobs, requiredJobs, runsAfterFailure } from './needed-jobs.ts';
import { endsInFailure, mayRun } from './outsider-reach.ts';
import { asksForPermission, firstDecision, keepsOut, refusesAlone, reportsPermission } from './permission-outputs.ts';

export function looksUpPermission(
  node: Job | Step,
  repository: Repository,
  scenarios: readonly Scenario[] = [],
): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return false;
  const read = jobsRead(node, job);
  const asks = (each: Job, end: number): boolean =>
    lookupsIn(each, repository).some(
      (step) =>
        step.index < end &&
        scenarios.every((given) => mayRun(step, given)) &&
        (!step.mapping.entries.has('continue-on-error') || read.includes(each) || isRead(step, each)),
    );
  const free = node.kind === 'step' && runsAfterFailure(node) && !READS_STEPS.test(node.condition?.value ?? '');
  if (!free && asks(job, node.kind === 'step' ? node.index : job.steps.length)) return true;
  const needed = [...requiredJobs(job, scenarios.length === 0 ? undefined : scenarios), ...read];
  if (needed.some((each) => asks(each, each.steps.length))) return true;
  return [node, job, ...needed, ...(node.kind === 'job' ? job.steps : [])].some((each) =>
    keepsOut(each, each.kind === 'step' ? job : each),
  );
}

const STEPS_READ = /\bsteps\.([\w-]{1,100})/g;

const stepsReadIn = memoByNode(({ steps, workflow }: Job): ReadonlySet<string> => {
  const text = workflow.source.text.slice(steps[0]?.span.start, steps.at(-1)?.span.end);
  return new Set([...text.matchAll(STEPS_READ)].map(([, id = '']) => id.toLowerCase()));
});

function isRead({ id }: Step, job: Job): boolean {
  return id !== undefined && stepsReadIn(job).has(id.value.toLowerCase());
}

const READS_STEPS = /\b(?:steps|env)\b/i;
const MAX_LOOKUPS = 50;

const lookupsIn = memoInRepository((job: Job, repository): readonly Step[] => {
  const found = withInnerSteps(job.steps, repository).flatMap(({ step, caller }) => {
    if (caller === undefined) return isPermissionLookup(step) ? [step] : [];
    return isPermissionLookup(step) || reportsPermission(step) ? [caller] : [];
  });
  const decision = job.steps[firstDecision(job)];
  return [...(decision === undefined ? [] : [decision]), ...found.slice(0, MAX_LOOKUPS)];
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
  const script = withoutComments(step.with?.get('script')?.value.value ?? '', step);
  const route = step.with?.get('route')?.value.value ?? '';
  if (LOOKUP_CALL.test(script) || LOOKUP_ROUTE.test(script) || LOOKUP_ROUTE.test(route)) return true;
  const commands = commandsOf(step);
  if (commands.length === 0) return LOOKUP_ROUTE.test(withoutComments(step.run?.value ?? '', step));
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
