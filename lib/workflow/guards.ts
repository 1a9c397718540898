import { DEFAULT_TYPES, PULL_REQUEST_EVENTS, type Reach, reachOf } from './events.ts';
import { conditionOf, type ExpressionNode } from './expression.ts';
import type { Job, Step, Text, Trigger, Workflow } from './model.ts';
import type { Repository } from './repository.ts';
import { commandsOf } from './shell.ts';

/** A situation to judge a condition in: an outsider, working from a fork, caused this event. */
export interface Scenario {
  readonly event: string;
  /** The activity type, when one is singled out. */
  readonly action?: string;
  /** `none`: nobody has labelled the outsider's pull request or issue. */
  readonly labels?: 'none';
  /** `member`: the content is an outsider's, but somebody with write access caused the event, by a comment for example. */
  readonly by?: 'member';
}

/** A value that is known, or not. */
type Value = { readonly known: true; readonly value: string | number | boolean | null } | { readonly known: false };

const UNKNOWN: Value = { known: false };
const known = (value: string | number | boolean | null): Value => ({ known: true, value });

/** `false`: the condition never holds in the scenario. `undefined`: it may. */
export function holds(condition: Text | undefined, scenario: Scenario): boolean | undefined {
  if (condition === undefined) return true;
  const { node } = conditionOf(condition);
  return node === undefined ? undefined : truthOf(node, scenario);
}

/** Whether a part of an expression is true in the scenario; undefined when that is not known. */
export function truthOf(node: ExpressionNode, scenario: Scenario): boolean | undefined {
  return truth(evaluate(node, scenario));
}

function truth(value: Value): boolean | undefined {
  if (!value.known) return undefined;
  return value.value !== false && value.value !== 0 && value.value !== '' && value.value !== null;
}

function evaluate(node: ExpressionNode, scenario: Scenario): Value {
  switch (node.type) {
    case 'literal':
      return known(node.value);
    case 'access':
      return accessValue(node.path.join('.'), scenario);
    case 'not': {
      const inner = truth(evaluate(node.arg, scenario));
      return inner === undefined ? UNKNOWN : known(!inner);
    }
    case 'and':
    case 'or': {
      const decisive = node.type === 'or';
      let unknown = false;
      let last: Value = known(!decisive);
      for (const arg of node.args) {
        last = evaluate(arg, scenario);
        const result = truth(last);
        if (result === decisive) return last;
        if (result === undefined) unknown = true;
      }
      return unknown ? UNKNOWN : last;
    }
    case 'compare':
      return compare(node, scenario);
    case 'call':
      return callValue(node, scenario);
    case 'index':
      return UNKNOWN;
  }
}

function accessValue(path: string, { event, action, labels }: Scenario): Value {
  if (path === 'github.event_name') return known(event);
  if (path === 'github.event.action' && action !== undefined) return known(action);
  if (path.startsWith('github.event.label') && action !== undefined && !/^(?:un)?labeled$/.test(action)) {
    return known(null);
  }
  if (labels === 'none' && LABEL.test(path)) return known(null);
  if (FORK_FLAGS.has(path)) return payloadHas(path, event) ? known(true) : known(null);
  if (path === 'github.event.pull_request.merged') return PULL_REQUEST_EVENTS.has(event) ? known(false) : known(null);
  if (path === 'github.head_ref' && !PULL_REQUEST_EVENTS.has(event)) return known('');
  if (path.startsWith('github.event.pull_request') && !payloadHas(path, event)) return known(null);
  if (path.startsWith('github.event.workflow_run') && event !== 'workflow_run') return known(null);
  if (path.startsWith('github.event.inputs') || path === 'github.event.schedule') return known(null);
  return path === 'github.ref_type' ? known('branch') : UNKNOWN;
}

function payloadHas(path: string, event: string): boolean {
  if (path.startsWith('github.event.pull_request')) return PULL_REQUEST_EVENTS.has(event);
  return path.startsWith('github.event.workflow_run') ? event === 'workflow_run' : true;
}

const FORK_FLAGS: ReadonlySet<string> = new Set([
  'github.event.pull_request.head.repo.fork',
  'github.event.workflow_run.head_repository.fork',
]);

/** Say which repository the outsider's code is in: never the base. */
const HEAD_REPOSITORY =
  /^github\.event\.(?:pull_request\.head\.(?:repo\.(?:full_name|name|id|node_id|owner\.(?:login|id))|user\.(?:login|id))|workflow_run\.head_repository\.(?:full_name|id|owner\.(?:login|id)))$/;

const LABEL = /^github\.event\.(?:label\b|(?:pull_request|issue)\.labels\b)/;

/** The fields that speak of whoever caused the event, not of the author of a pull request or issue. */
const EVENT_CAUSE = /^github\.(?:actor|triggering_actor|event\.(?:sender|comment|review)\b)/;

const AUTHOR_ASSOCIATION = /^github\.event\.(?:comment|issue|pull_request|review|discussion)\.author_association$/;

/** Say who wrote the content: cannot be arranged by someone else. */
const AUTHOR_LOGIN =
  /^github\.event\.(?:pull_request|issue|comment|review|discussion|workflow_run\.actor)(?:\.user)?\.(?:login|id)$/;

/** Say who caused the run last, which is not always who wrote the content. */
const ACTOR = /^github\.(?:actor|actor_id|triggering_actor|event\.sender\.(?:login|id))$/;

const TRUSTED_ASSOCIATIONS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** The events a fork's pull request can give the run that a `workflow_run` follows. */
const OUTSIDER_SOURCES: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_target',
  'issue_comment',
  'issues',
]);

function compare(node: ExpressionNode & { type: 'compare' }, scenario: Scenario): Value {
  const [left, right] = node.args as [ExpressionNode, ExpressionNode];
  const equal = node.operator === '==';
  if (!equal && node.operator !== '!=') return UNKNOWN;
  for (const [subject, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if (subject.type !== 'access') continue;
    const same = samePrincipal(subject.path.join('.'), other, scenario);
    if (same !== undefined) return known(same === equal);
  }
  const a = evaluate(left, scenario);
  const b = evaluate(right, scenario);
  if (!a.known || !b.known) return UNKNOWN;
  return known(looselyEqual(a.value, b.value) === equal);
}

/** Whether a field that tells who or where can equal the other side, in an outsider's run. */
function samePrincipal(path: string, other: ExpressionNode, { event, by }: Scenario): boolean | undefined {
  if (by === 'member' && EVENT_CAUSE.test(path)) return undefined;
  const literal = other.type === 'literal' && typeof other.value === 'string' ? other.value : undefined;
  if (HEAD_REPOSITORY.test(path) && payloadHas(path, event)) {
    const base =
      other.type === 'access' &&
      /^github\.(?:repository|event\.(?:repository|pull_request\.base)\b)/.test(other.path.join('.'));
    return base || literal !== undefined ? false : undefined;
  }
  if (literal === undefined) return undefined;
  if (AUTHOR_ASSOCIATION.test(path)) return TRUSTED_ASSOCIATIONS.has(literal.toUpperCase()) ? false : undefined;
  if (AUTHOR_LOGIN.test(path) && payloadHas(path, event)) return false;
  // A bot can be made the last actor of an outsider's pull request; a named person cannot.
  if (ACTOR.test(path)) return /\[bot\]$|bot$|^\d+$/i.test(literal) ? undefined : false;
  if (path === 'github.event.workflow_run.event' && event === 'workflow_run') {
    return OUTSIDER_SOURCES.has(literal) ? undefined : false;
  }
  if (path === 'github.ref' && /^refs\/tags\//.test(literal)) return false;
  if (path === 'github.ref' && event === 'pull_request' && /^refs\/heads\//.test(literal)) return false;
  return undefined;
}

function looselyEqual(a: string | number | boolean | null, b: string | number | boolean | null): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  if (typeof a === typeof b) return a === b;
  const asNumber = (value: typeof a): number =>
    value === null ? 0 : typeof value === 'string' ? (value.trim() === '' ? 0 : Number(value)) : Number(value);
  return asNumber(a) === asNumber(b);
}

function callValue(node: ExpressionNode & { type: 'call' }, scenario: Scenario): Value {
  if (node.name === 'always') return known(true);
  if (
    node.name === 'startswith' &&
    isAccess(node.args[0], 'github.ref') &&
    textOfLiteral(node.args[1]).startsWith('refs/tags')
  ) {
    return known(false);
  }
  if (node.name !== 'contains') return UNKNOWN;
  const [list, item] = node.args;
  if (scenario.labels === 'none' && list?.type === 'access' && LABEL.test(list.path.join('.'))) return known(false);
  if (list === undefined || item?.type !== 'access') return UNKNOWN;
  const members = literalList(list);
  const path = item.path.join('.');
  if (scenario.by === 'member' && EVENT_CAUSE.test(path)) return UNKNOWN;
  const names = AUTHOR_LOGIN.test(path) || ACTOR.test(path);
  // A list of people that the repository's settings hold has no outsider in it.
  if (members === undefined) return names && isSetting(list) ? known(false) : UNKNOWN;
  if (AUTHOR_ASSOCIATION.test(path)) {
    return members.every((member) => TRUSTED_ASSOCIATIONS.has(member.toUpperCase())) ? known(false) : UNKNOWN;
  }
  if (AUTHOR_LOGIN.test(path) && payloadHas(path, scenario.event)) return known(false);
  if (ACTOR.test(path)) return members.some((member) => /\[bot\]$|bot$/i.test(member)) ? UNKNOWN : known(false);
  const value = evaluate(item, scenario);
  if (!value.known) return UNKNOWN;
  return known(members.some((member) => looselyEqual(member, value.value)));
}

function isSetting(node: ExpressionNode): boolean {
  const inner = node.type === 'call' && node.name === 'fromjson' ? node.args[0] : node;
  return inner?.type === 'access' && (inner.path[0] === 'vars' || inner.path[0] === 'secrets');
}

function isAccess(node: ExpressionNode | undefined, path: string): boolean {
  return node?.type === 'access' && node.path.join('.') === path;
}

function textOfLiteral(node: ExpressionNode | undefined): string {
  return node?.type === 'literal' && typeof node.value === 'string' ? node.value : '';
}

/** The members of `fromJSON('["a", "b"]')` or of a literal text of words. */
function literalList(node: ExpressionNode): string[] | undefined {
  if (node.type === 'literal' && typeof node.value === 'string') {
    return node.value.split(/[\s,|]+/).filter((word) => word !== '');
  }
  if (node.type !== 'call' || node.name !== 'fromjson') return undefined;
  try {
    const parsed: unknown = JSON.parse(textOfLiteral(node.args[0]));
    return Array.isArray(parsed) ? parsed.map(String) : undefined;
  } catch {
    return undefined;
  }
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

/** Whether a job or step of a workflow may run in the scenario, as far as conditions and failing steps tell. */
export function mayRun(node: Job | Step, scenario: Scenario): boolean {
  if (node.kind === 'job') return jobRuns(node, scenario, new Set());
  if (node.parent.kind !== 'job' || !jobRuns(node.parent, scenario, new Set())) return false;
  if (holds(node.condition, scenario) === false) return false;
  const regardless = node.condition !== undefined && RUNS_AFTER_FAILURE.test(node.condition.value);
  return regardless || !node.parent.steps.slice(0, node.index).some((before) => stops(before, scenario));
}

const RUNS_AFTER_FAILURE = /\b(?:always|failure|cancelled)\s*\(/i;

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
  return types === undefined || types.length === 0 ? [{ event }] : types.map((action) => ({ event, action }));
}

export function workflowOutsiderEvents(workflow: Workflow, repository: Repository, depth = 0): OutsiderEvent[] {
  const events: OutsiderEvent[] = [];
  for (const trigger of workflow.triggers) {
    if (trigger.event === 'workflow_call' && depth < MAX_CALL_DEPTH) {
      for (const caller of repository.callersOf(workflow)) {
        for (const event of workflowOutsiderEvents(caller.workflow, repository, depth + 1)) {
          if (scenariosOf(event).some((scenario) => jobRuns(caller, scenario, new Set()))) events.push(event);
        }
      }
      continue;
    }
    const reach = reachOf(trigger.event);
    if (reach === 'trusted') continue;
    if (trigger.event === 'workflow_run' && !followsOutsiders(trigger, repository)) continue;
    events.push({ event: trigger.event, reach, trigger, workflow });
  }
  return events;
}

function followsOutsiders(trigger: Trigger, repository: Repository): boolean {
  return (trigger.workflows ?? []).some((name) => {
    const source = repository.workflowNamed(name);
    return source === undefined || source.triggers.some(({ event }) => reachOf(event) !== 'trusted');
  });
}

/** A job whose needed job is skipped is skipped too, unless its condition says otherwise. */
function jobRuns(job: Job, scenario: Scenario, seen: Set<string>): boolean {
  if (seen.has(job.id)) return true;
  seen.add(job.id);
  if (holds(job.condition, scenario) === false) return false;
  if (job.condition !== undefined && RUNS_AFTER_FAILURE.test(job.condition.value)) return true;
  return job.needs.every((id) => {
    const needed = job.workflow.jobs.find((candidate) => candidate.id === id);
    if (needed === undefined) return true;
    return jobRuns(needed, scenario, seen) && !needed.steps.some((step) => stops(step, scenario));
  });
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

function isPermissionLookup(step: Step): boolean {
  const reference = step.uses?.reference;
  if (reference?.kind === 'repository' && PERMISSION_CHECK_ACTIONS.has(reference.slug)) return true;
  const script = step.with?.get('script')?.value.value ?? '';
  if (
    /getCollaboratorPermissionLevel|getMembershipForUserInOrg|checkMembershipForUser|checkCollaborator|check_membership/.test(
      script,
    )
  )
    return true;
  return commandsOf(step).some((command) => /\/collaborators\/|\/memberships\/|\/members\//.test(command.text));
}

/** Every job that a job waits for, directly or not. */
export function neededJobs(job: Job): Job[] {
  const found = new Map<string, Job>();
  const queue = [...job.needs];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const needed = job.workflow.jobs.find((candidate) => candidate.id === id);
    if (needed === undefined || found.has(id)) continue;
    found.set(id, needed);
    queue.push(...needed.needs);
  }
  return [...found.values()];
}
