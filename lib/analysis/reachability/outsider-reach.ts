import { accessedPaths, conditionOf } from '#lib/workflow/expressions/expression.ts';
import { type Job, jobOf, type Step, type Text, type Trigger, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import type { YamlNode } from '#lib/workflow/yaml/tree.ts';
import { memoByNode, memoByRepository, memoInRepository } from '../memo.ts';
import { directTriggers, MAX_INHERITED } from './callers.ts';
import { commandsStarting } from './comment-commands.ts';
import { stepsById } from './composites.ts';
import { ALL_SUCCEEDED, ANY_EVENT, holds, type NeededResults, type Scenario, type Unsuccessful } from './conditions.ts';
import { DEFAULT_TYPES, OUTSIDER_EVENTS, type Reach, reachOf } from './events.ts';
import { jobsNeededBy, runsAfter, runsAfterFailure } from './needed-jobs.ts';
import { NO_INPUTS, passedInputs, startingInputs } from './passed-inputs.ts';
import { isBehindRefusedCheckout } from './refused-checkouts.ts';
import { refsOf } from './trigger-refs.ts';

export interface OutsiderEvent {
  readonly event: string;
  readonly reach: Exclude<Reach, 'trusted'>;
  readonly trigger: Trigger;
  readonly workflow: Workflow;
  readonly followed?: readonly string[];
  readonly inputs?: NonNullable<Scenario['inputs']>;
}

const MAX_CALL_DEPTH = 10;

const MAX_TYPES = 40;

/**
 * Returns the events by which an outsider reaches a job or step, after its own conditions and those of needed jobs. A
 * `workflow_run` counts only if a workflow that it follows is unknown or reachable.
 */
export const outsiderEvents = memoInRepository((node: Job | Step, repository): readonly OutsiderEvent[] => {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined) return NO_EVENTS;
  const candidates = workflowOutsiderEvents(job.workflow, repository);
  if (candidates.length === 0 || !runsHere(node, repository)) return NO_EVENTS;
  return candidates.filter((candidate) =>
    scenariosOf(candidate).some(
      (scenario) => mayRun(node, scenario) && !isBehindRefusedCheckout(node, scenario, repository),
    ),
  );
});

const NO_EVENTS: readonly OutsiderEvent[] = [];

export function mayRun(node: Job | Step, scenario: Scenario): boolean {
  const job = node.kind === 'step' ? (node.parent.kind === 'job' ? node.parent : undefined) : node;
  if (job === undefined || !jobRuns(job, scenario)) return false;
  if (node.kind !== 'step') return true;
  const condition = node.condition?.value ?? '';
  const needed = neededResults(job, scenario);
  const within = {
    ...scenario,
    ...(/\benv\b/.test(condition) ? { variable: variablesAt(node, job) } : {}),
    ...(/\bsteps\b/i.test(condition) ? { outputs: outputsAt(node, job, scenario, needed) } : {}),
  };
  if (holds(node.condition, within, needed) === false) return false;
  return runsAfterFailure(node) || firstStop(job, scenario) >= node.index;
}

function variablesAt(step: Step, job: Job): (name: string) => Text | undefined {
  return (name) => {
    if (namesInWriters(job).has(name)) return undefined;
    const [found] = [step.env, job.env, job.workflow.env].flatMap((variables) => variables?.get(name) ?? []);
    return found?.value;
  };
}

const STARTED = ['success', 'failure', 'cancelled'];
const SKIPPED = ['skipped'];
const EMPTY = [''];

function outputsAt(step: Step, job: Job, scenario: Scenario, needed: NeededResults): NonNullable<Scenario['outputs']> {
  const found = new Map(scenario.outputs);
  for (const path of stepPathsIn(step)) {
    const [, id = '', field] = path.split('.');
    const asked = stepsById(job).get(id);
    if (asked === undefined || asked.index >= step.index) continue;
    const started = startOf(asked, scenario, needed);
    if (field === 'outputs' && started === false) found.set(path, EMPTY);
    if (field !== 'outcome' && field !== 'conclusion') continue;
    if (started === false) found.set(path, SKIPPED);
    else if (started === true && !runsAfterFailure(step)) found.set(path, STARTED);
  }
  return found;
}

const startsOf = memoByNode((_step: Step) => new Map<string, boolean | undefined>());

function startOf(step: Step, scenario: Scenario, needed: NeededResults): boolean | undefined {
  if (step.condition === undefined) return true;
  const known = startsOf(step);
  const key = keyOf(scenario);
  if (!known.has(key)) known.set(key, holds(step.condition, scenario, needed));
  return known.get(key);
}

const stepPathsIn = memoByNode(({ condition }: Step): readonly string[] => {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  const paths = node === undefined ? [] : accessedPaths(node);
  return paths.filter((path) => path.startsWith('steps.')).slice(0, MAX_PATHS);
});

const MAX_PATHS = 20;

const namesInWriters = memoByNode(({ steps }: Job): ReadonlySet<string> => {
  const scripts = steps.map(({ run, with: inputs }) => run?.value ?? inputs?.get('script')?.value.value ?? '');
  const writers = scripts.filter((script) => /GITHUB_ENV|exportVariable/.test(script));
  return new Set(writers.flatMap((script) => script.toLowerCase().match(/[a-z_]\w*/g) ?? []));
});

const stopsOf = memoByNode((_job: Job) => new Map<string, number>());

function firstStop(job: Job, scenario: Scenario): number {
  const failing = failingSteps(job);
  if (failing.length === 0) return Number.POSITIVE_INFINITY;
  const known = stopsOf(job);
  const key = keyOf(scenario);
  let first = known.get(key);
  if (first === undefined) {
    first = failing.find((step) => holds(step.condition, scenario) === true)?.index ?? Number.POSITIVE_INFINITY;
    known.set(key, first);
  }
  return first;
}

const keyOfInputs = memoByNode((inputs: NonNullable<Scenario['inputs']>) => JSON.stringify([...inputs]));

const keyOfRefs = memoByNode((refs: readonly string[]) => refs.join(' '));

function keyOf(scenario: Scenario): string {
  const { event, action, identity, labels, onPullRequest, by, refs, repository, followed, inputs } = scenario;
  const given = inputs === undefined ? '' : keyOfInputs(inputs);
  const on = refs === undefined ? '' : keyOfRefs(refs);
  return [event, action, identity, labels, onPullRequest, by, on, repository, followed, given].join(' ');
}

/**
 * Returns false if no event of the workflow, and no call with its inputs, lets a job or step run in this repository.
 * Forks inherit workflows whose conditions name the parent.
 */
export const runsHere = memoInRepository((node: Job | Step, repository): boolean => {
  const { fullName } = repository;
  const where = fullName === undefined ? {} : { repository: fullName };
  if (!runsSomewhere(node, where)) return false;
  const job = node.kind === 'step' ? node.parent : node;
  if (job.kind === 'action') return true;
  const starts = startingInputs(job.workflow, repository);
  const runs = (inputs: Scenario['inputs']): boolean =>
    inputs === undefined || mayRun(node, { event: ANY_EVENT, by: 'anyone', inputs, ...where });
  return starts.length === 0 || starts.some(runs);
});

/** Returns false if no event of the workflow lets a job or step run in the given repository, or in any if none is given. */
export function runsSomewhere(node: Job | Step, where: Pick<Scenario, 'repository'> = {}): boolean {
  const job = node.kind === 'step' ? node.parent : node;
  return job.kind === 'action' || ownRuns(job.workflow).some((scenario) => mayRun(node, { ...scenario, ...where }));
}

const MAX_STARTS = 40;
const ANY_START: readonly Scenario[] = [{ event: ANY_EVENT, by: 'anyone' }];

const ownRuns = memoByNode(({ triggers }: Workflow): readonly Scenario[] => {
  if (triggers.length > MAX_STARTS || triggers.some(({ event }) => event === 'workflow_call')) return ANY_START;
  const found = triggers.flatMap(memberScenarios);
  return found.length === 0 || found.length > MAX_STARTS ? ANY_START : found;
});

export function memberScenarios(trigger: Trigger): Scenario[] {
  return scenariosOf({ event: trigger.event, trigger }).map((scenario) => ({ ...scenario, by: 'anyone' }));
}

const failingSteps = memoByNode(({ steps }: Job): readonly Step[] =>
  steps.filter((step) => endsInFailure(step) && !step.mapping.entries.has('continue-on-error')),
);

export function endsInFailure(step: Step): boolean {
  const script = step.run?.value ?? '';
  if (MAY_END_WELL.test(script)) return false;
  if (script.includes('exit')) return /(?:^|[\n;]|^echo [^\n|]*&&)[ \t]*exit[ \t]+[1-9]\d*\s*$/.test(script);
  const code = step.with?.get('script')?.value.value ?? '';
  return code.includes('core.setFailed(') && !/\b(?:if|catch|switch|for|while)\b|=>|\?/.test(code);
}

const MAY_END_WELL = /\bexit(?:[ \t]+(?:0\b|"?\$)|[ \t]*(?:[\n;}]|$))/;

export function scenariosOf({
  event,
  trigger,
  followed,
  inputs,
}: Pick<OutsiderEvent, 'event' | 'trigger' | 'followed' | 'inputs'>): Scenario[] {
  const refs = refsOf(trigger);
  const known = {
    event,
    ...(followed === undefined ? {} : { followed }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(refs === undefined ? {} : { refs }),
  };
  const types = trigger.types ?? ownValue(DEFAULT_TYPES, event);
  if (types === undefined || types.length === 0) return [known];
  return [...new Set(types)].slice(0, MAX_TYPES).map((action) => ({ ...known, action }));
}

const eventsByWorkflow = memoByRepository(findWorkflowEvents);

export function workflowOutsiderEvents(workflow: Workflow, repository: Repository): readonly OutsiderEvent[] {
  return eventsByWorkflow(repository).get(workflow) ?? [];
}

/** Passes each event on once per call and level, since following each call separately is exponential. */
function findWorkflowEvents(repository: Repository): Map<Workflow, readonly OutsiderEvent[]> {
  const found = new Map(
    repository.workflows.map((workflow) => [workflow, new Inbox(workflow, ownEvents(workflow, repository))] as const),
  );
  const called = [...found].filter(([{ triggers }]) => triggers.some(({ event }) => event === 'workflow_call'));
  let passed = new Map([...found].map(([workflow, { all }]) => [workflow, [...all]]));
  for (let depth = 0; depth < MAX_CALL_DEPTH && passed.size > 0; depth += 1) {
    const next = new Map<Workflow, OutsiderEvent[]>();
    for (const [workflow, inbox] of called) {
      const added = repository
        .callersOf(workflow)
        .flatMap((caller) => (passed.get(caller.workflow) ?? []).flatMap((event) => inbox.take(event, caller) ?? []));
      if (added.length > 0) next.set(workflow, added);
    }
    passed = next;
  }
  return new Map([...found].map(([workflow, { all }]) => [workflow, [...all]]));
}

class Inbox {
  readonly all: Set<OutsiderEvent>;
  readonly #workflow: Workflow;
  readonly #counts = new Map<string, number>();
  readonly #taken = new Map<Trigger, Set<string>>();

  constructor(workflow: Workflow, own: readonly OutsiderEvent[]) {
    this.#workflow = workflow;
    this.all = new Set(own);
  }

  take(event: OutsiderEvent, caller: Job): OutsiderEvent | undefined {
    const count = this.#counts.get(event.event) ?? 0;
    if (count >= MAX_INHERITED) return undefined;
    const inputs = passedInputs(this.#workflow, caller, event.inputs);
    const key = inputs === undefined ? '' : keyOfInputs(inputs);
    const taken = this.#taken.get(event.trigger) ?? new Set();
    if (taken.has(key)) return undefined;
    if (!scenariosOf(event).some((scenario) => jobRuns(caller, scenario))) return undefined;
    this.#counts.set(event.event, count + 1);
    this.#taken.set(event.trigger, taken.add(key));
    const { inputs: _, ...rest } = event;
    const passed = inputs === undefined ? rest : { ...rest, inputs };
    this.all.add(passed);
    return passed;
  }
}

function ownEvents(workflow: Workflow, repository: Repository): OutsiderEvent[] {
  const seen = new Set<string>();
  return workflow.triggers.flatMap((trigger): OutsiderEvent[] => {
    const { event } = trigger;
    const reach = reachOf(event);
    if (seen.has(event)) return [];
    seen.add(event);
    if (isOpenCommand(trigger, repository)) return [{ event, reach: 'outsider-privileged', trigger, workflow }];
    if (reach === 'trusted') return [];
    const started = { event, reach, trigger, workflow, inputs: NO_INPUTS };
    if (event !== 'workflow_run') return [started];
    const followed = followedEvents(trigger, repository);
    return followed.length === 0 ? [] : [{ ...started, followed }];
  });
}

function isOpenCommand(trigger: Trigger, repository: Repository): boolean {
  return commandsStarting(trigger, repository).some(({ step }) => {
    const workflow = jobOf(step)?.workflow;
    if (workflow === undefined) return false;
    return directTriggers(workflow, repository).some(
      ({ trigger: comments }) =>
        comments.event === 'issue_comment' &&
        scenariosOf({ event: 'issue_comment', trigger: comments }).some((scenario) => mayRun(step, scenario)),
    );
  });
}

function followedEvents(trigger: Trigger, repository: Repository): readonly string[] {
  const found = (trigger.workflows ?? []).flatMap((name) => {
    const source = repository.workflowNamed(name);
    if (source === undefined) return OUTSIDER_EVENTS;
    return source.triggers.map(({ event }) => event).filter((event) => reachOf(event) !== 'trusted');
  });
  return [...new Set(found)];
}

const runsOf = memoByNode((_job: Job) => new Map<string, boolean>());

/** The code host starts nothing of a workflow in which something else than a job stands among the jobs. */
const isRefused = memoByNode(({ root }: Workflow): boolean => {
  const jobs = valueOf(root, 'jobs');
  return jobs?.kind === 'mapping' && [...jobs.entries.values()].some(({ value }) => isNoJob(value));
});

/** A job without a value is one that somebody is about to write. */
function isNoJob(value: YamlNode): boolean {
  return value.kind === 'sequence' || (value.kind === 'scalar' && value.text.trim() !== '');
}

function jobRuns(job: Job, scenario: Scenario): boolean {
  if (isRefused(job.workflow)) return false;
  if (job.condition === undefined && job.needs.length === 0) return true;
  const key = keyOf(scenario);
  const known = runsOf(job);
  const before = known.get(key);
  if (before !== undefined) return before;
  known.set(key, true);
  const needed = neededResults(job, scenario);
  const ended = [...needed.values()].includes('failure') ? 'failure' : 'skipped';
  const runs = (needed.size === 0 || runsAfter(job, ended)) && holds(job.condition, scenario, needed) !== false;
  known.set(key, runs);
  return runs;
}

function neededResults(job: Job, scenario: Scenario): NeededResults {
  if (job.needs.length === 0) return ALL_SUCCEEDED;
  const results = new Map<string, Unsuccessful>();
  for (const needed of jobsNeededBy(job)) {
    if (!jobRuns(needed, scenario)) results.set(needed.id.toLowerCase(), 'skipped');
    else if (firstStop(needed, scenario) < needed.steps.length) results.set(needed.id.toLowerCase(), 'failure');
  }
  return results;
}

export const privilegedOutsiderEvents = memoInRepository((node: Job | Step, repository): readonly OutsiderEvent[] => {
  const events = outsiderEvents(node, repository);
  return events.length === 0 ? events : events.filter(({ reach }) => reach === 'outsider-privileged');
});
