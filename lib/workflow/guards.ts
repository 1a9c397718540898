import { EVENT_ROOTS } from '../data/event-contexts.generated.ts';
import { DEFAULT_TYPES, OUTSIDER_EVENTS, PULL_REQUEST_EVENTS, type Reach, reachOf } from './events.ts';
import { conditionOf, type ExpressionNode } from './expression.ts';
import { identityTest } from './identity.ts';
import type { Job, Step, Text, Trigger, Workflow } from './model.ts';
import type { Repository } from './repository.ts';
import { commandsOf } from './shell.ts';

/** A situation to judge a condition in: an outsider, working from a fork, caused this event. */
export interface Scenario {
  readonly event: string;
  /** The activity type, when one is singled out. */
  readonly action?: string;
  /** What tests of the last actor and of a commit's author find: the one they ask for, or somebody else. */
  readonly identity?: 'asked' | 'other';
  /** `none`: nobody has labelled the outsider's pull request or issue. */
  readonly labels?: 'none';
  /** `member`: the content is an outsider's, but somebody with write access caused the event, by a comment for example. */
  readonly by?: 'member';
}

type Scalar = string | number | boolean | null;

/** What an expression can be in the scenario; undefined when that is not known. */
type Values = readonly Scalar[] | undefined;

const TRUE: Values = [true];
const FALSE: Values = [false];

/** A scenario and the needed jobs that it skips. */
interface Situation extends Scenario {
  readonly skipped: ReadonlySet<string>;
}

const NONE_SKIPPED: ReadonlySet<string> = new Set();

/** `false`: the condition never holds in the scenario. `undefined`: it may. */
export function holds(
  condition: Text | undefined,
  scenario: Scenario,
  skipped: ReadonlySet<string> = NONE_SKIPPED,
): boolean | undefined {
  if (condition === undefined) return true;
  const { node } = conditionOf(condition);
  return node === undefined ? undefined : truth(evaluate(node, { ...scenario, skipped }));
}

/** Whether an expression is true or false in a scenario; undefined when it may be either. */
export function evaluates(node: ExpressionNode, scenario: Scenario): boolean | undefined {
  return truth(evaluate(node, { ...scenario, skipped: NONE_SKIPPED }));
}

function isTruthy(value: Scalar): boolean {
  return value !== false && value !== 0 && value !== '' && value !== null && !Number.isNaN(value);
}

function truth(values: Values): boolean | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const first = isTruthy(values[0] as Scalar);
  return values.every((value) => isTruthy(value) === first) ? first : undefined;
}

/** What a test gives for every combination of possible values: one truth, or unknown. */
function combine(left: Values, right: Values, test: (a: Scalar, b: Scalar) => boolean): Values {
  if (left === undefined || right === undefined) return undefined;
  return [...new Set(left.flatMap((a) => right.map((b) => test(a, b))))];
}

function evaluate(node: ExpressionNode, situation: Situation): Values {
  switch (node.type) {
    case 'literal':
      return [node.value];
    case 'access':
      return accessValues(node.path.join('.'), situation);
    case 'not': {
      const inner = truth(evaluate(node.arg, situation));
      return inner === undefined ? undefined : [!inner];
    }
    case 'and':
    case 'or': {
      const decisive = node.type === 'or';
      let unknown = false;
      let last: Values = [!decisive];
      for (const arg of node.args) {
        last = evaluate(arg, situation);
        const result = truth(last);
        // After an unknown, which of the values comes out is open; that it decides is not.
        if (result === decisive) return unknown ? [decisive] : last;
        if (result === undefined) unknown = true;
      }
      return unknown ? undefined : last;
    }
    case 'compare':
      return identityValue(node, situation) ?? compare(node, situation);
    case 'call':
      return identityValue(node, situation) ?? callValues(node, situation);
    case 'index':
      return undefined;
  }
}

/** A test of identity in a scenario that says what it finds. */
function identityValue(node: ExpressionNode, { identity }: Scenario): Values {
  const test = identity === undefined ? undefined : identityTest(node);
  return test === undefined ? undefined : [(identity === 'asked') !== test.negated];
}

/** What an outsider can be to the repository. A contributor's earlier pull request was merged; it gives no rights. */
const OUTSIDER_ASSOCIATIONS: Values = ['NONE', 'MANNEQUIN', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'CONTRIBUTOR'];

function accessValues(path: string, situation: Situation): Values {
  const { event, action, skipped, labels } = situation;
  const [context, first = '', second = ''] = path.split('.');
  if (context === 'needs') return skipped.has(first) ? [second === 'result' ? 'skipped' : null] : undefined;
  if (context !== 'github') return undefined;
  if (path === 'github.event_name') return [event];
  if (path === 'github.ref_type') return ['branch'];
  if (path === 'github.head_ref' && !PULL_REQUEST_EVENTS.has(event)) return [''];
  // The number does not matter: no condition names a pull request's own.
  if (path === 'github.ref' && RUNS_ON_MERGE_REF.has(event)) return ['refs/pull/0/merge'];
  if (path === 'github.ref_name' && RUNS_ON_MERGE_REF.has(event)) return ['0/merge'];
  if (first !== 'event' || second === '') return undefined;
  if (path === 'github.event.action') return action === undefined ? undefined : [action];
  if (!payloadHas(path, event)) return [null];
  if (second === 'label' && action !== undefined && !/^(?:un)?labeled$/.test(action)) return [null];
  if (labels === 'none' && LABEL.test(path)) return [null];
  if (FORK_FLAGS.has(path)) return TRUE;
  if (path === 'github.event.pull_request.merged') return FALSE;
  if (path === 'github.event.pull_request.merged_at') return [null];
  if (path === 'github.event.workflow_run.event') return OUTSIDER_EVENTS;
  const [, owner] = AUTHOR_ASSOCIATION.exec(path) ?? [];
  return owner !== undefined && isCauser(owner, event) && !isMembers(path, situation)
    ? OUTSIDER_ASSOCIATIONS
    : undefined;
}

const LABEL = /^github\.event\.(?:label\b|(?:pull_request|issue)\.labels\b)/;

/** The fields that speak of whoever caused the event, not of the author of a pull request or issue. */
const EVENT_CAUSE = /^github\.(?:actor|triggering_actor|event\.(?:sender|comment|review)\b)/;

/** Whether a field speaks of the member who caused the event, of whom nothing is known. */
function isMembers(path: string, { by }: Scenario): boolean {
  return by === 'member' && EVENT_CAUSE.test(path);
}

/** Whether the event's payload can have what a `github.event.…` path names. */
function payloadHas(path: string, event: string): boolean {
  const [, , root = '*'] = path.split('.');
  if (path.startsWith('github.event.issue.pull_request') && event === 'issues') return false;
  return root === '*' || EVENT_ROOTS[event]?.includes(root) !== false;
}

/** Where the run stands on the pull request's merge commit, not on a branch. */
const RUNS_ON_MERGE_REF: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

const FORK_FLAGS: ReadonlySet<string> = new Set([
  'github.event.pull_request.head.repo.fork',
  'github.event.workflow_run.head_repository.fork',
]);

/** Say whose repository the outsider's code is in: never the base's owner's. A fork may keep the base's name. */
const HEAD_REPOSITORY =
  /^github\.event\.(?:pull_request\.head\.(?:repo\.(?:full_name|id|node_id|url|html_url|owner\.(?:login|id))|user\.(?:login|id))|workflow_run\.head_repository\.(?:full_name|id|node_id|url|html_url|owner\.(?:login|id)))$/;

/** Name the base repository or its owner. */
const BASE_REPOSITORY =
  /^github\.(?:repository|repository_id|repository_owner|repository_owner_id|event\.(?:repository|pull_request\.base|workflow_run\.repository)\..+)$/;

const AUTHOR_ASSOCIATION = /^github\.event\.(comment|issue|pull_request|review|discussion)\.author_association$/;

/** Say who wrote the content: cannot be arranged by someone else. */
const AUTHOR_LOGIN =
  /^github\.event\.(pull_request|issue|comment|review|discussion|workflow_run)\.(?:user|actor)\.(?:login|id)$/;

/** Say who caused the run last, which is not always who wrote the content. */
const ACTOR =
  /^github\.(?:actor|actor_id|triggering_actor|event\.sender\.(?:login|id)|event\.workflow_run\.triggering_actor\.(?:login|id))$/;

/** Of events about a remark on something older: only the remark's author is who causes them. */
const REMARKS: Readonly<Record<string, string>> = {
  issue_comment: 'comment',
  discussion_comment: 'comment',
  pull_request_review: 'review',
  pull_request_review_comment: 'comment',
};

/** Whether the author of a payload's object is who causes the event. */
function isCauser(owner: string, event: string): boolean {
  return (REMARKS[event] ?? owner) === owner;
}

function compare(node: ExpressionNode & { type: 'compare' }, situation: Situation): Values {
  const [left, right] = node.args as [ExpressionNode, ExpressionNode];
  const equal = node.operator === '==';
  if (!equal && node.operator !== '!=') return undefined;
  if (isNever(left, right, situation) || isNever(right, left, situation)) return [!equal];
  return combine(evaluate(left, situation), evaluate(right, situation), (a, b) => looselyEqual(a, b) === equal);
}

/** Whether a field that tells who or where can never equal the other side in an outsider's run. */
function isNever(subject: ExpressionNode, other: ExpressionNode, situation: Situation): boolean {
  if (subject.type !== 'access') return false;
  const path = subject.path.join('.');
  const isBase = other.type === 'access' && BASE_REPOSITORY.test(other.path.join('.'));
  if (isBase && truth(evaluate(subject, situation)) === false) return true;
  if (isBase && path === 'github.actor' && !isMembers(path, situation) && /owner|login/.test(other.path.join('.')))
    return true;
  const literal = other.type === 'literal' ? other.value : undefined;
  if (literal === undefined || literal === null || typeof literal === 'boolean' || literal === '') {
    return isBase && isOutsidersOwn(path, situation);
  }
  return isNeverText(path, String(literal), situation);
}

/** Whether a field holds the outsider's own repository or account. */
function isOutsidersOwn(path: string, scenario: Scenario): boolean {
  const { event } = scenario;
  if (!payloadHas(path, event) || isMembers(path, scenario)) return false;
  const [, owner] = AUTHOR_LOGIN.exec(path) ?? [];
  return HEAD_REPOSITORY.test(path) || (owner !== undefined && isCauser(owner, event));
}

function isNeverText(path: string, literal: string, situation: Scenario): boolean {
  if (isOutsidersOwn(path, situation)) return true;
  if (isMembers(path, situation)) return false;
  // A bot can be made the last actor of an outsider's pull request; a named person cannot.
  if (ACTOR.test(path)) return !/\[bot\]$|bot$|^\d+$/i.test(literal);
  return path === 'github.ref' && literal.startsWith('refs/tags/');
}

function looselyEqual(a: Scalar, b: Scalar): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  if (typeof a === typeof b) return a === b;
  const asNumber = (value: Scalar): number => (typeof value === 'string' && value.trim() === '' ? 0 : Number(value));
  return asNumber(a) === asNumber(b);
}

function textOf(value: Scalar): string {
  return value === null ? '' : String(value).toLowerCase();
}

function callValues(node: ExpressionNode & { type: 'call' }, situation: Situation): Values {
  const [first, second] = node.args;
  if (node.name === 'always') return TRUE;
  if (first === undefined) return undefined;
  if (node.name === 'fromjson') return scalarsOf(parsedLiteral(first));
  if (second === undefined) return undefined;
  const test = TEXT_TESTS[node.name];
  if (test === undefined) return undefined;
  if (node.name === 'contains') {
    const found = containsPrincipal(first, second, situation);
    if (found !== undefined) return found;
  } else if (node.name === 'startswith' && startsElsewhere(first, second, situation)) return FALSE;
  return combine(evaluate(first, situation), evaluate(second, situation), (a, b) => test(textOf(a), textOf(b)));
}

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

/** An outsider's event runs on a branch or merge commit; the label of its head starts with its own account. */
function startsElsewhere(text: ExpressionNode, prefix: ExpressionNode, { event }: Scenario): boolean {
  if (text.type !== 'access' || prefix.type !== 'literal') return false;
  const path = text.path.join('.');
  if (path === 'github.ref') return String(prefix.value).startsWith('refs/tags');
  return (
    path === 'github.event.pull_request.head.label' && payloadHas(path, event) && String(prefix.value).includes(':')
  );
}

/** `contains(list, item)` with a list that is written out. */
function containsPrincipal(list: ExpressionNode, item: ExpressionNode, situation: Situation): Values {
  const parsed = list.type === 'call' && list.name === 'fromjson' ? parsedLiteral(list.args[0]) : undefined;
  const path = item.type === 'access' ? item.path.join('.') : '';
  if (situation.labels === 'none' && list.type === 'access' && LABEL.test(list.path.join('.'))) return FALSE;
  // A list of people that the repository's settings hold has no outsider in it.
  if (isSetting(list) && namesSomebody(path) && !isMembers(path, situation)) return FALSE;
  if (Array.isArray(parsed)) {
    if (parsed.every((member) => isNeverText(path, String(member), situation))) return FALSE;
    return combine([null], evaluate(item, situation), (_, value) =>
      parsed.some((member) => looselyEqual(member as Scalar, value)),
    );
  }
  if (list.type !== 'literal' || typeof list.value !== 'string') return undefined;
  // A name that is a part of another passes such a test; whoever has one is the rule unsound-contains's business.
  const words = list.value.split(/[\s,|;]+/).filter((word) => word !== '');
  return words.length > 0 && words.every((word) => isNeverText(path, word, situation)) ? FALSE : undefined;
}

function isSetting(node: ExpressionNode): boolean {
  const inner = node.type === 'call' && node.name === 'fromjson' ? node.args[0] : node;
  return inner?.type === 'access' && (inner.path[0] === 'vars' || inner.path[0] === 'secrets');
}

function namesSomebody(path: string): boolean {
  return AUTHOR_LOGIN.test(path) || ACTOR.test(path);
}

/** What `fromJSON` of a literal gives. */
function parsedLiteral(node: ExpressionNode | undefined): unknown {
  if (node?.type !== 'literal' || typeof node.value !== 'string') return undefined;
  try {
    return JSON.parse(node.value) as unknown;
  } catch {
    return undefined;
  }
}

function scalarsOf(value: unknown): Values {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) ? [value as Scalar] : undefined;
}

export interface OutsiderEvent {
  readonly event: string;
  readonly reach: Exclude<Reach, 'trusted'>;
  /** Where the event is declared: in this workflow, or in one that calls it. */
  readonly trigger: Trigger;
  readonly workflow: Workflow;
}

/** How deep calls between reusable workflows are followed; the code host allows ten levels. */
const MAX_CALL_DEPTH = 10;

/** Activity types of one trigger that are told apart. */
const MAX_TYPES = 40;

/**
 * The events by which an outsider reaches a job or step: those of its workflow (or of the workflows that call it) that
 * outsiders cause, less those that its condition, its job's, or that of a job it needs, rules out. A `workflow_run`
 * counts only when a workflow it follows is unknown or can itself be started by an outsider.
 */
export function outsiderEvents(node: Job | Step, repository: Repository): readonly OutsiderEvent[] {
  let events = eventsByNode.get(node);
  if (events === undefined) {
    events = findOutsiderEvents(node, repository);
    eventsByNode.set(node, events);
  }
  return events;
}

/** A node belongs to one repository, so it is key enough. */
const eventsByNode = new WeakMap<Job | Step, readonly OutsiderEvent[]>();

function findOutsiderEvents(node: Job | Step, repository: Repository): OutsiderEvent[] {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return [];
  return workflowOutsiderEvents(job.workflow, repository).filter((candidate) =>
    scenariosOf(candidate).some((scenario) => mayRun(node, scenario)),
  );
}

/** Whether a scenario can reach a job or step, by its own condition, those before it, and steps that fail on purpose. */
export function mayRun(node: Job | Step, scenario: Scenario): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined || !jobRuns(job, scenario)) return false;
  if (node.kind !== 'step') return true;
  if (holds(node.condition, scenario, skippedNeeds(job, scenario)) === false) return false;
  return runsAfterFailure(node) || !job.steps.slice(0, node.index).some((before) => stops(before, scenario));
}

const RUNS_AFTER_FAILURE = /\b(?:always|failure|cancelled)\s*\(/i;

function runsAfterFailure({ condition }: Job | Step): boolean {
  return condition !== undefined && RUNS_AFTER_FAILURE.test(condition.value);
}

const failingSteps = new WeakMap<Step, boolean>();

/** A step that fails its job for certain: `if: not allowed`, `run: exit 1`. */
function stops(step: Step, scenario: Scenario): boolean {
  let fails = failingSteps.get(step);
  if (fails === undefined) {
    fails = endsInFailure(step);
    failingSteps.set(step, fails);
  }
  if (!fails || step.mapping.entries.has('continue-on-error')) return false;
  return holds(step.condition, scenario) === true;
}

function endsInFailure(step: Step): boolean {
  const script = step.run?.value ?? '';
  if (script.includes('exit')) return /(?:^|[\n;]|^echo [^\n|]*&&)[ \t]*exit[ \t]+[1-9]\d*\s*$/.test(script);
  const code = step.with?.get('script')?.value.value ?? '';
  return code.includes('core.setFailed(') && !/\b(?:if|catch|switch|for|while)\b|=>|\?/.test(code);
}

/** One scenario for each activity type that the trigger lists or has by default; one without a type otherwise. */
export function scenariosOf({ event, trigger }: Pick<OutsiderEvent, 'event' | 'trigger'>): Scenario[] {
  const types = trigger.types ?? DEFAULT_TYPES[event];
  if (types === undefined || types.length === 0) return [{ event }];
  return [...new Set(types)].slice(0, MAX_TYPES).map((action) => ({ event, action }));
}

const eventsByRepository = new WeakMap<Repository, ReadonlyMap<Workflow, readonly OutsiderEvent[]>>();

/** The events by which an outsider starts a workflow, directly or through the workflows that call it. */
export function workflowOutsiderEvents(workflow: Workflow, repository: Repository): readonly OutsiderEvent[] {
  let events = eventsByRepository.get(repository);
  if (events === undefined) {
    events = findWorkflowEvents(repository);
    eventsByRepository.set(repository, events);
  }
  return events.get(workflow) ?? [];
}

/** All workflows at once, a level of calls in each round: following each call by itself would multiply them. */
function findWorkflowEvents(repository: Repository): Map<Workflow, readonly OutsiderEvent[]> {
  const found = new Map(repository.workflows.map((workflow) => [workflow, new Set(ownEvents(workflow, repository))]));
  const called = repository.workflows.filter(({ triggers }) => triggers.some(({ event }) => event === 'workflow_call'));
  for (let depth = 0; depth < MAX_CALL_DEPTH; depth += 1) {
    let changed = false;
    for (const workflow of called) {
      const events = found.get(workflow) ?? new Set();
      for (const caller of repository.callersOf(workflow)) {
        for (const event of found.get(caller.workflow) ?? []) {
          if (events.has(event) || !scenariosOf(event).some((scenario) => jobRuns(caller, scenario))) continue;
          events.add(event);
          changed = true;
        }
      }
    }
    if (!changed) break;
  }
  return new Map([...found].map(([workflow, events]) => [workflow, [...events]]));
}

function ownEvents(workflow: Workflow, repository: Repository): OutsiderEvent[] {
  const seen = new Set<string>();
  return workflow.triggers.flatMap((trigger) => {
    const { event } = trigger;
    const reach = reachOf(event);
    if (seen.has(event)) return [];
    seen.add(event);
    if (reach === 'trusted' || (event === 'workflow_run' && !followsOutsiders(trigger, repository))) return [];
    return [{ event, reach, trigger, workflow }];
  });
}

function followsOutsiders(trigger: Trigger, repository: Repository): boolean {
  return (trigger.workflows ?? []).some((name) => {
    const source = repository.workflowNamed(name);
    return source === undefined || source.triggers.some(({ event }) => reachOf(event) !== 'trusted');
  });
}

const runsByJob = new WeakMap<Job, Map<string, boolean>>();

/** Whether a job may run. One whose needed job is skipped is skipped too, unless its condition says otherwise. */
function jobRuns(job: Job, scenario: Scenario): boolean {
  const key = [scenario.event, scenario.action, scenario.identity, scenario.labels, scenario.by].join(' ');
  let known = runsByJob.get(job);
  if (known === undefined) runsByJob.set(job, (known = new Map()));
  const before = known.get(key);
  if (before !== undefined) return before;
  // Jobs that need each other are refused by the code host; this ends the walk.
  known.set(key, true);
  const skipped = skippedNeeds(job, scenario);
  const runs = (runsAfterFailure(job) || skipped.size === 0) && holds(job.condition, scenario, skipped) !== false;
  known.set(key, runs);
  return runs;
}

/** The jobs that a job needs and that the scenario skips, in lower case. */
function skippedNeeds(job: Job, scenario: Scenario): ReadonlySet<string> {
  if (job.needs.length === 0) return NONE_SKIPPED;
  const skipped = job.needs.filter((id) => {
    const needed = jobNamed(job.workflow, id);
    return needed !== undefined && (!jobRuns(needed, scenario) || needed.steps.some((step) => stops(step, scenario)));
  });
  return new Set(skipped.map((id) => id.toLowerCase()));
}

const jobsByWorkflow = new WeakMap<Workflow, ReadonlyMap<string, Job>>();

function jobNamed(workflow: Workflow, id: string): Job | undefined {
  let jobs = jobsByWorkflow.get(workflow);
  if (jobs === undefined) {
    jobs = new Map(workflow.jobs.map((job) => [job.id.toLowerCase(), job]));
    jobsByWorkflow.set(workflow, jobs);
  }
  return jobs.get(id.toLowerCase());
}

/** The events of {@link outsiderEvents} in which the run has the base repository's rights. */
export function privilegedOutsiderEvents(node: Job | Step, repository: Repository): OutsiderEvent[] {
  return outsiderEvents(node, repository).filter(({ reach }) => reach === 'outsider-privileged');
}

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

/** A lookup of the actor's permission or team, in any step before this one in the job or in a job that it needs. */
export function looksUpPermission(node: Job | Step): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return false;
  const before = node.kind === 'step' ? job.steps.slice(0, node.index) : job.steps;
  if (before.some(isPermissionLookup)) return true;
  return neededJobs(job).some((needed) => needed.steps.some(isPermissionLookup));
}

/** Calls that tell a person's rights, and the association that a script can read from the payload itself. */
const LOOKUP_CALL =
  /getCollaboratorPermissionLevel|get(?:User)?MembershipFor(?:User|AuthenticatedUser)\w*|check(?:Public)?MembershipForUser|checkCollaborator|check_membership|author_?association/i;
const LOOKUP_ROUTE = /\/(?:collaborators|memberships|members)\//;

function isPermissionLookup(step: Step): boolean {
  const reference = step.uses?.reference;
  if (reference?.kind === 'repository' && PERMISSION_CHECK_ACTIONS.has(reference.slug)) return true;
  const script = step.with?.get('script')?.value.value ?? '';
  const route = step.with?.get('route')?.value.value ?? '';
  if (LOOKUP_CALL.test(script) || LOOKUP_ROUTE.test(script) || LOOKUP_ROUTE.test(route)) return true;
  const commands = commandsOf(step);
  // A script of another shell is not parsed.
  if (commands.length === 0) return LOOKUP_ROUTE.test(step.run?.value ?? '');
  return commands.some((command) => LOOKUP_ROUTE.test(command.text));
}

/** Every job that a job waits for, directly or not. */
export function neededJobs(job: Job): Job[] {
  const found = new Map<string, Job>();
  const queue = [...job.needs];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const needed = jobNamed(job.workflow, id);
    if (needed === undefined || found.has(needed.id)) continue;
    found.set(needed.id, needed);
    queue.push(...needed.needs);
  }
  return [...found.values()];
}
