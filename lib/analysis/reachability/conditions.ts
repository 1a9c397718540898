import { EVENT_ROOTS } from '#lib/data/generated/event-contexts.generated.ts';
import { conditionOf, type ExpressionNode, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { identityTest } from '#lib/workflow/expressions/identity.ts';
import type { Text } from '#lib/workflow/model/model.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { ON_DEFAULT_BRANCH, OUTSIDER_EVENTS, PULL_REQUEST_EVENTS } from './events.ts';
import { objectTest } from './payload-objects.ts';
import { isLiteralRef, literalStart, mayMatch } from './trigger-refs.ts';

/**
 * A situation to evaluate a condition in. Unless `by` says otherwise, an outsider caused the event from a fork of a public
 * repository. `member`: someone with write access caused it for an outsider's content, by a comment for example; `anyone`:
 * only what every such event has in common is known. `followed` are the events by which outsiders start the runs that a
 * `workflow_run` follows. `outputs` are by path in lower case; empty for any text. `leg`: what a leg of a matrix gives to
 * paths. `onPullRequest`: the issue of the event is a pull request.
 */
export interface Scenario {
  readonly event: string;
  readonly action?: string;
  readonly identity?: 'asked' | 'other';
  readonly labels?: 'none';
  readonly onPullRequest?: true;
  readonly by?: 'member' | 'anyone';
  /** Patterns of what was pushed or, for a pull request, of its base. */
  readonly refs?: readonly string[];
  readonly repository?: string;
  readonly followed?: readonly string[];
  readonly inputs?: ReadonlyMap<string, string | number | boolean | undefined>;
  readonly outputs?: ReadonlyMap<string, readonly string[]>;
  readonly leg?: ReadonlyMap<string, Scalar>;
  readonly variable?: (name: string) => Text | undefined;
  readonly ended?: Unsuccessful;
}

export type Unsuccessful = 'failure' | 'skipped';

export const ANY_EVENT = '*';

type Scalar = string | number | boolean | null;

type Values = readonly Scalar[] | undefined;

const TRUE: Values = [true];
const FALSE: Values = [false];

export type NeededResults = ReadonlyMap<string, Unsuccessful>;

interface Situation extends Scenario {
  readonly needed: NeededResults;
}

export const ALL_SUCCEEDED: NeededResults = new Map();

export function holds(
  condition: Text | undefined,
  scenario: Scenario,
  needed: NeededResults = ALL_SUCCEEDED,
): boolean | undefined {
  if (condition === undefined) return true;
  const { node } = conditionOf(condition);
  return node === undefined ? undefined : truth(evaluate(node, { ...scenario, needed }));
}

export function evaluates(node: ExpressionNode, scenario: Scenario): boolean | undefined {
  return truth(evaluate(node, { ...scenario, needed: ALL_SUCCEEDED }));
}

function isTruthy(value: Scalar): boolean {
  return value !== false && value !== 0 && value !== '' && value !== null && !Number.isNaN(value);
}

function truth(values: Values): boolean | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const first = isTruthy(values[0] as Scalar);
  return values.every((value) => isTruthy(value) === first) ? first : undefined;
}

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
        // After an unknown operand, a decisive one fixes whether the result is true, but not which value it has.
        if (result === decisive) return unknown ? [decisive] : last;
        if (result === undefined) unknown = true;
      }
      return unknown ? undefined : last;
    }
    case 'compare': {
      const object = objectTest(node);
      if (object !== undefined) return [object.negated];
      return identityValue(node, situation) ?? compare(node, situation);
    }
    case 'call':
      return identityValue(node, situation) ?? callValues(node, situation);
    case 'index':
      return undefined;
  }
}

function identityValue(node: ExpressionNode, { identity }: Scenario): Values {
  const test = identity === undefined ? undefined : identityTest(node);
  return test === undefined ? undefined : [(identity === 'asked') !== test.negated];
}

/** Associations an outsider can have; a contributor's earlier pull request grants no rights. */
const OUTSIDER_ASSOCIATIONS: Values = ['NONE', 'MANNEQUIN', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'CONTRIBUTOR'];

function accessValues(path: string, situation: Situation): Values {
  const { event, action, needed, labels, by, repository } = situation;
  const [context, first = '', second = ''] = path.split('.');
  const outputs = situation.outputs?.get(path);
  if (outputs !== undefined) return outputs.length === 0 ? undefined : outputs;
  const inLeg = situation.leg?.get(path);
  if (inLeg !== undefined) return [inLeg];
  if (context === 'needs') {
    const result = needed.get(first);
    if (result === undefined || second === 'result') return result && [result];
    return result === 'skipped' ? [null] : undefined;
  }
  if (context === 'env' && situation.variable !== undefined) return variableValues(first, situation);
  if (context === 'inputs' && situation.inputs !== undefined) {
    const given = situation.inputs.has(first) ? situation.inputs.get(first) : '';
    return given === undefined ? undefined : [given];
  }
  if (context !== 'github') return undefined;
  if (path === 'github.repository' && repository !== undefined) return [repository];
  if (path === 'github.repository_owner' && repository !== undefined) return [repository.split('/')[0] ?? ''];
  if (event === ANY_EVENT) return undefined;
  if (path === 'github.event_name') return [event];
  if (path === 'github.ref_type') return by === 'anyone' ? refTypeOf(situation) : ['branch'];
  const refs = refsAt(path, situation);
  if (refs?.every(isLiteralRef) === true) return refs;
  if (path === 'github.head_ref' && !PULL_REQUEST_EVENTS.has(event)) return [''];
  // Ignores the number: no condition names a pull request's own. A merged pull request runs on its base branch.
  const onMergeRef = RUNS_ON_MERGE_REF.has(event) && (by !== 'anyone' || (action !== undefined && action !== 'closed'));
  if (path === 'github.ref' && onMergeRef) return ['refs/pull/0/merge'];
  if (path === 'github.ref_name' && onMergeRef) return ['0/merge'];
  if (first !== 'event' || second === '') return undefined;
  if (!payloadHas(path, event)) return [null];
  if (path === 'github.event.action') return action === undefined ? undefined : [action];
  if (second === 'label' && action !== undefined && !/^(?:un)?labeled$/.test(action)) return [null];
  if (situation.onPullRequest === true && SET_FOR_PULL_REQUESTS.test(path)) return [`<${path}>`];
  if (by === 'anyone') return undefined;
  const [, visibility] = VISIBILITY.exec(path) ?? [];
  if (visibility !== undefined) return visibility === 'private' ? FALSE : PUBLIC;
  if (labels === 'none' && LABEL.test(path)) return [null];
  if (FORK_FLAGS.has(path)) return followsDefaultBranch(situation) ? undefined : TRUE;
  if (path === 'github.event.pull_request.merged') return FALSE;
  if (path === 'github.event.pull_request.merged_at') return [null];
  if (path === 'github.event.workflow_run.event') return situation.followed ?? OUTSIDER_EVENTS;
  const [, owner] = AUTHOR_ASSOCIATION.exec(path) ?? [];
  return owner !== undefined && isCauser(owner, event) && !isMembers(path, situation)
    ? OUTSIDER_ASSOCIATIONS
    : undefined;
}

function variableValues(name: string, { variable, ...situation }: Situation): Values {
  const text = variable?.(name);
  if (text === undefined) return undefined;
  if (!text.value.includes('${{')) return [text.value];
  const [first, ...others] = expressionsIn(text);
  if (first?.node === undefined || others.length > 0 || !/^\$\{\{[^{}]*\}\}$/.test(text.value.trim())) return undefined;
  return evaluate(first.node, situation)?.map((value) => (value === null ? '' : String(value)));
}

const SET_FOR_PULL_REQUESTS = /^github\.event\.issue\.pull_request(?:\.(?:html_)?url)?$/;

const LABEL = /^github\.event\.(?:label\b|(?:pull_request|issue)\.labels\b)/;

const EVENT_CAUSE = /^github\.(?:actor|triggering_actor|event\.(?:sender|comment|review)\b)/;

function isMembers(path: string, { by }: Scenario): boolean {
  return by === 'anyone' || (by === 'member' && EVENT_CAUSE.test(path));
}

function refTypeOf({ event, refs }: Scenario): Values {
  if (OUTSIDER_EVENTS.includes(event)) return ['branch'];
  if (event !== 'push' || refs === undefined) return undefined;
  return [...new Set(refs.map((ref) => (ref.startsWith('refs/tags/') ? 'tag' : 'branch')))];
}

const REF_PATHS: Readonly<Record<string, { readonly events: ReadonlySet<string>; readonly short: boolean }>> = {
  'github.ref': { events: new Set(['push', 'pull_request_target']), short: false },
  'github.event.ref': { events: new Set(['push']), short: false },
  'github.ref_name': { events: new Set(['push', 'pull_request_target']), short: true },
  'github.base_ref': { events: PULL_REQUEST_EVENTS, short: true },
  'github.event.pull_request.base.ref': { events: PULL_REQUEST_EVENTS, short: true },
};

function refsAt(path: string, { event, refs }: Scenario): readonly string[] | undefined {
  const place = ownValue(REF_PATHS, path);
  if (refs === undefined || place?.events.has(event) !== true) return undefined;
  return place.short ? refs.map((ref) => ref.replace(/^refs\/(?:heads|tags)\//, '')) : refs;
}

export function payloadHas(path: string, event: string): boolean {
  const [, , root = '*'] = path.split('.');
  if (path.startsWith('github.event.issue.pull_request') && event === 'issues') return false;
  return root === '*' || EVENT_ROOTS[event]?.includes(root) !== false;
}

const RUNS_ON_MERGE_REF: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

const FORK_FLAGS: ReadonlySet<string> = new Set([
  'github.event.pull_request.head.repo.fork',
  'github.event.workflow_run.head_repository.fork',
]);

/** Fields about the head repository, which never has the base's owner; a fork can keep the name. */
const HEAD_REPOSITORY =
  /^github\.event\.(?:pull_request\.head\.(?:repo\.(?:full_name|id|node_id|url|html_url|owner\.(?:login|id))|user\.(?:login|id))|workflow_run\.head_repository\.(?:full_name|id|node_id|url|html_url|owner\.(?:login|id)))$/;

const BASE_REPOSITORY =
  /^github\.(?:repository|repository_id|repository_owner|repository_owner_id|event\.(?:repository|pull_request\.base|workflow_run\.repository)\..+)$/;

const VISIBILITY =
  /^github\.event\.(?:repository|pull_request\.base\.repo|workflow_run\.repository)\.(private|visibility)$/;

const PUBLIC: Values = ['public'];

const AUTHOR_ASSOCIATION = /^github\.event\.(comment|issue|pull_request|review|discussion)\.author_association$/;

const AUTHOR_LOGIN =
  /^github\.event\.(pull_request|issue|comment|review|discussion|workflow_run)\.(?:user|actor)\.(?:login|id)$/;

const ACTOR =
  /^github\.(?:actor|actor_id|triggering_actor|event\.sender\.(?:login|id)|event\.workflow_run\.triggering_actor\.(?:login|id))$/;

const REMARKS: Readonly<Record<string, string>> = {
  issue_comment: 'comment',
  discussion_comment: 'comment',
  pull_request_review: 'review',
  pull_request_review_comment: 'comment',
};

function isCauser(owner: string, event: string): boolean {
  return (ownValue(REMARKS, event) ?? owner) === owner;
}

function compare(node: ExpressionNode & { type: 'compare' }, situation: Situation): Values {
  const [left, right] = node.args as [ExpressionNode, ExpressionNode];
  const equal = node.operator === '==';
  if (!equal && node.operator !== '!=') return undefined;
  if (isNever(left, right, situation) || isNever(right, left, situation)) return [!equal];
  if (isOtherRef(left, right, situation)) return [!equal];
  return combine(evaluate(left, situation), evaluate(right, situation), (a, b) => looselyEqual(a, b) === equal);
}

function isOtherRef(subject: ExpressionNode, other: ExpressionNode, situation: Situation): boolean {
  const refs = subject.type === 'access' ? refsAt(subject.path.join('.'), situation) : undefined;
  if (refs === undefined || other.type !== 'literal') return false;
  const literal = String(other.value).toLowerCase();
  return !refs.some((ref) => mayMatch(ref, literal));
}

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

function isOutsidersOwn(path: string, scenario: Scenario): boolean {
  const { event } = scenario;
  if (!payloadHas(path, event) || isMembers(path, scenario)) return false;
  const [, owner] = AUTHOR_LOGIN.exec(path) ?? [];
  return (
    (HEAD_REPOSITORY.test(path) && !followsDefaultBranch(scenario)) || (owner !== undefined && isCauser(owner, event))
  );
}

function followsDefaultBranch({ followed }: Scenario): boolean {
  return followed?.every((event) => ON_DEFAULT_BRANCH.has(event)) === true;
}

function isNeverText(path: string, literal: string, situation: Scenario): boolean {
  if (isOutsidersOwn(path, situation)) return true;
  if (isMembers(path, situation)) return false;
  // Outsiders can make a bot the last actor of their pull request, but not a named person.
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
  if (node.name === 'success' && situation.ended !== undefined) return FALSE;
  if (node.name === 'failure' && situation.ended === 'failure') return TRUE;
  if (first === undefined) return undefined;
  if (node.name === 'fromjson') return scalarsOf(parsedLiteral(first));
  if (second === undefined) return undefined;
  const test = ownValue(TEXT_TESTS, node.name);
  if (test === undefined) return undefined;
  if (node.name === 'contains') {
    const found = containsPrincipal(first, second, situation);
    if (found !== undefined) return found;
  } else if (node.name === 'startswith') {
    if (startsElsewhere(first, second, situation)) return FALSE;
    if (startsAsEveryRef(first, second, situation)) return TRUE;
  }
  return combine(evaluate(first, situation), evaluate(second, situation), (a, b) => test(textOf(a), textOf(b)));
}

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

/** Outsiders' events run on a branch or merge commit; their head label starts with their own account. */
function startsElsewhere(text: ExpressionNode, prefix: ExpressionNode, scenario: Scenario): boolean {
  if (text.type !== 'access' || prefix.type !== 'literal') return false;
  const { event, by } = scenario;
  const path = text.path.join('.');
  if (by === 'anyone') {
    const wanted = String(prefix.value).toLowerCase();
    const starts = refsAt(path, scenario)?.map(literalStart);
    return starts?.every((start) => !start.startsWith(wanted) && !wanted.startsWith(start)) === true;
  }
  if (path === 'github.ref') return String(prefix.value).startsWith('refs/tags');
  return (
    path === 'github.event.pull_request.head.label' && payloadHas(path, event) && String(prefix.value).includes(':')
  );
}

function startsAsEveryRef(text: ExpressionNode, prefix: ExpressionNode, situation: Situation): boolean {
  if (text.type !== 'access' || prefix.type !== 'literal') return false;
  const wanted = String(prefix.value).toLowerCase();
  return refsAt(text.path.join('.'), situation)?.every((ref) => literalStart(ref).startsWith(wanted)) === true;
}

function containsPrincipal(list: ExpressionNode, item: ExpressionNode, situation: Situation): Values {
  const parsed = list.type === 'call' && list.name === 'fromjson' ? parsedLiteral(list.args[0]) : undefined;
  const name = item.type === 'access' ? item : delimited(item);
  const path = name?.path.join('.') ?? '';
  if (situation.labels === 'none' && list.type === 'access' && LABEL.test(list.path.join('.'))) return FALSE;
  if (isSetting(list) && namesSomebody(path) && !isMembers(path, situation)) return FALSE;
  if (Array.isArray(parsed)) {
    if (parsed.every((member) => isNeverText(path, String(member), situation))) return FALSE;
    return combine([null], evaluate(item, situation), (_, value) =>
      parsed.some((member) => looselyEqual(member as Scalar, value)),
    );
  }
  if (list.type !== 'literal' || typeof list.value !== 'string') return undefined;
  // Names that contain each other are left to the rule unsound-contains.
  const words = list.value.split(/[\s,|;:/]+/).filter((word) => word !== '');
  return words.length > 0 && words.every((word) => isNeverText(path, word, situation)) ? FALSE : undefined;
}

function delimited(node: ExpressionNode): (ExpressionNode & { type: 'access' }) | undefined {
  if (node.type !== 'call' || node.name !== 'format') return undefined;
  const [pattern, value, ...others] = node.args;
  if (pattern?.type !== 'literal' || value?.type !== 'access' || others.length > 0) return undefined;
  return /^[,;:|/ ]\{0\}[,;:|/ ]$/.test(String(pattern.value)) ? value : undefined;
}

function isSetting(node: ExpressionNode): boolean {
  const inner = (node.type === 'call' && node.name === 'fromjson' ? node.args[0] : delimited(node)) ?? node;
  return inner?.type === 'access' && (inner.path[0] === 'vars' || inner.path[0] === 'secrets');
}

function namesSomebody(path: string): boolean {
  return AUTHOR_LOGIN.test(path) || ACTOR.test(path);
}

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
