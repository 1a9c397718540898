import { PERMISSION_ACTIONS, type PermissionAction } from '#lib/data/curated/permission-actions.ts';
import {
  accessedPaths,
  conditionOf,
  type ExpressionNode,
  expressionsIn,
} from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, type Step, sourceOf, type Text } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';
import { ANY_EVENT, evaluates } from './conditions.ts';
import { neededJobs } from './needed-jobs.ts';

export function refusesAlone(step: Step): boolean {
  const known = permissionAction(step);
  return known !== undefined && failsAlone(known, step) && !isTolerant(step);
}

export function reportsPermission(step: Step): boolean {
  const { id, parent } = step;
  if (id === undefined || permissionAction(step) === undefined) return false;
  return sourceOf(parent).text.includes(`steps.${id.value}.outputs`);
}

function permissionAction(step: Step): PermissionAction | undefined {
  const action = actionOf(step);
  if (action === undefined) return undefined;
  const known = PERMISSION_ACTIONS[action.name] ?? PERMISSION_ACTIONS[action.slug];
  const levels = known?.level === undefined ? '' : (inputOf(step, known.level)?.value ?? '');
  return levels.split(',').some((level) => OPEN_LEVEL.test(level)) ? undefined : known;
}

const OPEN_LEVEL = /^\s*(?:none|read)\s*$/i;

function failsAlone({ fails }: PermissionAction, step: Step): boolean {
  if (typeof fails === 'string') return fails === 'always';
  const value = inputOf(step, fails.input)?.value.trim().toLowerCase();
  if ('only' in fails) return value === fails.only;
  return 'except' in fails ? value !== fails.except : value !== undefined;
}

function isTolerant({ mapping }: Step): boolean {
  return mapping.entries.has('continue-on-error');
}

export type Refusals = ReadonlyMap<string, readonly string[]>;

const ownRefusals = memoByNode(({ steps }: Job): Refusals => {
  const found = new Map<string, readonly string[]>();
  for (const step of steps) {
    const { id } = step;
    const known = permissionAction(step) ?? requestFor(step);
    if (id === undefined || known === undefined) continue;
    const prefix = `steps.${id.value.toLowerCase()}`;
    for (const [name, values] of Object.entries(known.refused)) found.set(`${prefix}.outputs.${name}`, values);
    if (isTolerant(step) && failsAlone(known, step)) found.set(`${prefix}.outcome`, ['failure']);
  }
  return found;
});

const refusalsIn = memoByNode(
  (job: Job): Refusals => withPassedOn(ownRefusals(job), neededJobs(job).map(passedOnRefusals)),
);

const passedOnRefusals = memoByNode((job: Job): Refusals => passedOn(job, ownRefusals(job)));

export function withPassedOn(own: Refusals, needed: readonly Refusals[]): Refusals {
  const [first = own, ...others] = [own, ...needed].filter(({ size }) => size > 0);
  return others.length === 0 ? first : new Map([first, ...others].flatMap((each) => [...each]));
}

export function passedOn({ id, outputs }: Job, own: Refusals): Refusals {
  const found = new Map<string, readonly string[]>();
  if (own.size === 0) return found;
  for (const { name, value } of outputs?.entries ?? []) {
    const read = pathsIn(value).filter((path) => own.has(path));
    if (read.length === 0) continue;
    const whole = /^\$\{\{[^{}]*\}\}$/.test(value.value.trim()) && isAccess(value);
    const values = whole ? own.get(read[0] ?? '') : undefined;
    found.set(`needs.${id}.outputs.${name}`.toLowerCase(), values ?? []);
  }
  return found;
}

/** A permission lookup succeeds for everyone; only its answer tells. */
function requestFor(step: Step): PermissionAction | undefined {
  if (actionOf(step)?.slug !== 'octokit/request-action') return undefined;
  const route = inputOf(step, 'route')?.value.trim() ?? '';
  return route.includes('/collaborators/') && route.endsWith('/permission')
    ? { fails: 'never', refused: { data: [], status: [] } }
    : undefined;
}

export function asksForPermission(step: Step): boolean {
  return requestFor(step) !== undefined;
}

function isAccess(text: Text): boolean {
  return expressionsIn(text)[0]?.node?.type === 'access';
}

function pathsIn(text: Text): string[] {
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
}

export const firstDecision = memoByNode((job: Job): number => {
  const refusals = refusalsIn(job);
  if (refusals.size === 0) return Number.POSITIVE_INFINITY;
  return job.steps.find((step) => decidesOn(step, job, refusals))?.index ?? Number.POSITIVE_INFINITY;
});

function decidesOn(step: Step, job: Job, refusals: Refusals): boolean {
  if (isTolerant(step)) return false;
  if (endsOrTells(step) && partsAsking(step, job, refusals).some(({ asked }) => asked !== false)) return true;
  if (step.run !== undefined) return testsIn(step.run, step, refusals);
  const script = inputOf(step, 'script');
  if (script !== undefined) return testsIn(script, step, refusals);
  return (step.with?.entries ?? []).some(({ name, value }) => !SAID.test(name) && reads(value, refusals));
}

const SAID = /body|comment|message|text|title/i;
const ENDS = /\bexit\b|setFailed|\bthrow\b|\bfalse\b|cancel|GITHUB_OUTPUT|GITHUB_ENV|setOutput|exportVariable/;
const ENDING_ACTION = /cancel|fail|abort|exit|stop|refuse|reject/;

function endsOrTells(step: Step): boolean {
  if (step.uses?.reference?.kind === 'local') return true;
  const script = step.run ?? inputOf(step, 'script');
  return ENDS.test(script?.value ?? '') || ENDING_ACTION.test(actionOf(step)?.name ?? '');
}

function reads(text: Text, refusals: Refusals): boolean {
  return text.value.includes('${{') && pathsIn(text).some((path) => refusals.has(path));
}

const PRINTS = /^\s*(?:echo|printf|console\.\w+|core\.(?:debug|info|notice|warning))\b(?!.*GITHUB_(?:ENV|OUTPUT))/;
const MAX_LINE = 500;
const MAX_READ = 50;

function testsIn(script: Text, step: Step, refusals: Refusals): boolean {
  const holders = (step.env?.entries ?? []).flatMap(({ name, value }) => (reads(value, refusals) ? [name] : []));
  const inline = reads(script, refusals);
  if (holders.length === 0 && !inline) return false;
  const outputs = inline ? [...new Set(pathsIn(script))].filter((path) => refusals.has(path)).slice(0, MAX_READ) : [];
  return script.value.split('\n').some((line) => {
    const text = line.slice(0, MAX_LINE);
    if (PRINTS.test(text)) return false;
    return holders.some((name) => text.includes(name)) || outputs.some((path) => text.toLowerCase().includes(path));
  });
}

interface Part {
  readonly asked: boolean | undefined;
}

function partsAsking({ condition }: Job | Step, job: Job, refusals: Refusals): Part[] {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  if (node === undefined) return [];
  const scenario = { event: ANY_EVENT, by: 'anyone', outputs: refusals } as const;
  return (node.type === 'and' ? node.args : [node])
    .filter((part) => asks(part, job, refusals))
    .map((part) => ({ asked: evaluates(part, scenario) }));
}

function asks(part: ExpressionNode, job: Job, refusals: Refusals): boolean {
  return accessedPaths(part).some((path) => {
    if (refusals.has(path)) return true;
    const [context, name = ''] = path.split('.');
    if (context !== 'env') return false;
    const value = job.env?.get(name)?.value;
    return value !== undefined && reads(value, refusals);
  });
}

export function keepsOut(node: Job | Step, job: Job, refusals = refusalsIn(job)): boolean {
  return refusals.size > 0 && partsAsking(node, job, refusals).some(({ asked }) => asked !== true);
}
