import { actionOf, inputOf, originOf, usedSteps } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text, type Trigger } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Folder, folderAt } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode, RepositoryMemo } from '../memo.ts';
import type { Scenario } from '../reachability/conditions.ts';
import { mayRun, type OutsiderEvent, privilegedOutsiderEvents, scenariosOf } from '../reachability/outsider-reach.ts';
import { NO_INPUTS } from '../reachability/passed-inputs.ts';
import { type CheckoutGuard, guardOf, isBehindRefusedCheckout, refusalIn } from '../reachability/refused-checkouts.ts';
import { copiesOf } from './copied-code.ts';
import { ADDRESS } from './delivered-code.ts';
import { BRINGS_CODE, gitCheckouts } from './git-checkouts.ts';
import { mostMovable, nameOf, type PullRequestCode, PullRequestNames } from './pull-request-refs.ts';
import { type RefSource, RefTracer } from './ref-provenance.ts';

export interface Checkout {
  readonly step: Step;
  readonly by: 'action' | 'git' | 'gh';
  readonly span: Span;
  readonly folder: Folder;
  readonly foreign: PullRequestCode | undefined;
  readonly guard: CheckoutGuard;
  /** Set for a checkout in a composite action: its steps from the one that checks out, and where that one does. */
  readonly inner?: { readonly steps: readonly Step[]; readonly span: Span };
  readonly runs?: string;
}

export type EventOf = Pick<OutsiderEvent, 'event' | 'trigger'>;

const MAX_INNER_STEPS = 5_000;

const checkoutsByJob = new RepositoryMemo<Job, Trigger, readonly Checkout[]>();

/**
 * Returns everything that a job checks out under an event, in order, ignoring conditions except those of the
 * repository’s own code that the event never meets.
 */
export function checkoutsIn(job: Job, { event, trigger }: EventOf, repository: Repository): readonly Checkout[] {
  return checkoutsByJob.get(repository, job, trigger, () =>
    findCheckouts(
      job,
      { event },
      new PullRequestNames(event, trigger, repository, isForIssuesOnly(job, { event, trigger })),
    ).filter(({ foreign, step }) => foreign !== undefined || mayRunUnder(step, { event, trigger })),
  );
}

function mayRunUnder(step: Step, { event, trigger }: EventOf): boolean {
  return scenariosOf({ event, trigger }).some((scenario) => mayRun(step, { ...scenario, by: 'anyone' }));
}

/** The number of a plain issue fetches no pull request. */
function isForIssuesOnly(job: Job, { event, trigger }: EventOf): boolean {
  if (event !== 'issue_comment') return false;
  const known = {
    by: 'anyone',
    onPullRequest: true,
    ...(job.workflow.triggers.includes(trigger) ? { inputs: NO_INPUTS } : {}),
  } as const;
  return scenariosOf({ event, trigger }).every((scenario) => !mayRun(job, { ...scenario, ...known }));
}

function findCheckouts(job: Job, scenario: Scenario, names: PullRequestNames): Checkout[] {
  const tracer = new RefTracer(names.repository, scenario.event);
  let left = MAX_INNER_STEPS;
  const composite = job.steps.flatMap((step) => {
    left -= usedSteps(step, names.repository).length;
    return left < 0 ? [] : compositeCheckouts(step, scenario, names);
  });
  const found = [...checkoutsOf(job.steps, scenario, tracer, names), ...composite].sort(inOrder);
  const copies = copiesOf(found);
  return copies.length === 0 ? found : [...found, ...copies].sort(inOrder);
}

function inOrder(a: Checkout, b: Checkout): number {
  return a.step.index - b.step.index || a.span.start - b.span.start;
}

function checkoutsOf(
  steps: readonly Step[],
  scenario: Scenario,
  tracer: RefTracer,
  names: PullRequestNames,
): Checkout[] {
  const byAction = steps.flatMap(
    (step) => actionCheckout(step, scenario, tracer, names) ?? fetchedContext(step, tracer, names) ?? [],
  );
  return [...byAction, ...gitCheckouts(steps, tracer, names)];
}

function compositeCheckouts(step: Step, scenario: Scenario, names: PullRequestNames): Checkout[] {
  const steps = usedSteps(step, names.repository);
  const span = step.uses?.text.span;
  if (span === undefined || !mayCheckOutIn(steps)) return [];
  const tracer = new RefTracer(names.repository, scenario.event, step);
  return checkoutsOf(steps, scenario, tracer, names)
    .sort(inOrder)
    .map((checkout) => {
      const inner = { steps: steps.slice(checkout.step.index), span: checkout.span };
      const { foreign } = checkout;
      const [{ parent } = step] = steps;
      const origin = parent.kind === 'action' ? originOf(parent) : '';
      const named = foreign === undefined ? undefined : { ...foreign, source: `${foreign.source}${origin}` };
      return { ...checkout, foreign: named, step, span, inner };
    });
}

function actionCheckout(
  step: Step,
  scenario: Scenario,
  tracer: RefTracer,
  names: PullRequestNames,
): Checkout | undefined {
  const action = actionOf(step);
  if (action === undefined || !/(?:^|-)checkout(?:-|$)/i.test(action.repo)) return undefined;
  const ref = inputOf(step, 'ref');
  const from = inputOf(step, 'repository');
  const chosen =
    from === undefined ? [] : tracer.ofText(from, step).filter((origin) => names.choosesRepository(origin, from.value));
  const foreignRepository = chosen.length > 0;
  const refs = ref === undefined ? [] : tracer.ofText(ref, step);
  const named = refs.flatMap((origin) => foreignCode(origin, names, foreignRepository) ?? []);
  const foreign =
    mostMovable(named) ?? (from === undefined || !foreignRepository ? undefined : branchOf(from, chosen, names));
  const place = foreign !== undefined && named.length === 0 ? from : ref;
  const folder = folderAt('', inputOf(step, 'path')?.value ?? '');
  return {
    step,
    by: 'action',
    span: place?.span ?? step.uses?.text.span ?? step.span,
    folder,
    foreign,
    guard:
      foreign === undefined
        ? 'absent'
        : guardFor(step, scenario, [...refs, ...chosen], { foreignRepository, repository: names.repository }),
  };
}

function branchOf(from: Text, chosen: readonly RefSource[], names: PullRequestNames): PullRequestCode {
  const code = { ref: 'branch' as const, moves: true, source: nameOf(from.value) };
  if (chosen.some((origin) => names.of(origin) === 'repository')) return { ...code, needsFork: true };
  return chosen.every(({ unsure }) => unsure === true) ? { ...code, unsure: true } : code;
}

function fetchedContext(step: Step, tracer: RefTracer, names: PullRequestNames): Checkout | undefined {
  if (actionOf(step)?.slug !== 'docker/build-push-action') return undefined;
  const context = inputOf(step, 'context');
  if (context === undefined || !ADDRESS.test(context.value)) return undefined;
  const origins = tracer.ofText(context, step);
  if (!origins.some((origin) => names.of(origin) === 'repository')) return undefined;
  const named = origins.flatMap((origin) => foreignCode(origin, names, true) ?? []);
  const foreign = mostMovable(named) ?? { ref: 'branch' as const, moves: true, source: nameOf(context.value) };
  const runs = `the action ${step.uses?.text.value ?? ''}`;
  return { step, by: 'action', span: context.span, folder: undefined, foreign, guard: 'absent', runs };
}

const PULL_REF = /\bpull\/.{0,400}\/(head|merge)\b/;

function foreignCode(
  origin: RefSource,
  names: PullRequestNames,
  foreignRepository: boolean,
): PullRequestCode | undefined {
  const name = names.of(origin);
  const later = origin.lookup !== undefined && origin.fixed !== true;
  const code = { source: origin.path, ...(origin.unsure === true ? { unsure: true as const } : {}) };
  if (name === 'sha' || name === 'merge') return { ...code, ref: name, moves: later };
  if (name === 'branch')
    return foreignRepository ? { ...code, ref: 'branch', moves: true, needsFork: true } : undefined;
  if (name === 'text') return { ...code, ref: 'branch', moves: true };
  const pullRef = PULL_REF.exec(origin.within);
  if (name === 'number' && pullRef !== null) {
    const moves = origin.fixed !== true;
    return { ...code, ref: pullRef[1] === 'merge' ? 'merge' : 'branch', moves, source: nameOf(origin.within) };
  }
  return undefined;
}

function guardFor(
  step: Step,
  { event }: Scenario,
  refs: readonly RefSource[],
  { foreignRepository, repository }: { readonly foreignRepository: boolean; readonly repository: Repository },
): CheckoutGuard {
  if (event !== 'pull_request_target' && event !== 'workflow_run') return 'absent';
  const guard = guardOf(step, repository);
  // The guard compares with the event's fork and commits, which differ from a later lookup if the author has pushed since.
  const passes = refs.some(
    ({ lookup, within }) =>
      (lookup === 'text' && !PULL_REF.test(within)) || (!foreignRepository && (lookup === 'sha' || lookup === 'merge')),
  );
  return guard === 'enforced' && passes ? 'absent' : guard;
}

/** True if the guard of actions/checkout refuses the code as long as the fork exists. */
export function isGuarded({ guard }: Pick<Checkout, 'guard'>): boolean {
  return guard === 'enforced' || guard === 'unproven';
}

export interface OutsiderCheckout extends Checkout, OutsiderEvent {
  readonly foreign: PullRequestCode;
  readonly events: readonly string[];
}

const GUARD_ORDER: readonly CheckoutGuard[] = ['opted-out', 'absent', 'unproven', 'enforced'];

const MAX_PLACES = 50;

const outsiderCheckoutsByJob = new RepositoryMemo<Job, Job, readonly OutsiderCheckout[]>();

export function outsiderCheckouts(job: Job, repository: Repository): readonly OutsiderCheckout[] {
  return outsiderCheckoutsByJob.get(repository, job, job, () => findOutsiderCheckouts(job, repository));
}

export function bringsOutsidersCode(steps: readonly Step[], repository: Repository): boolean {
  const job = steps[0] === undefined ? undefined : jobOf(steps[0]);
  return job !== undefined && outsiderCheckouts(job, repository).some(({ step }) => steps.includes(step));
}

function findOutsiderCheckouts(job: Job, repository: Repository): OutsiderCheckout[] {
  const places = new Map<string, OutsiderCheckout>();
  if (!job.steps.some((step) => mayCheckOut(step) || mayCheckOutIn(usedSteps(step, repository)))) return [];
  for (const reached of privilegedOutsiderEvents(job, repository)) {
    const { event, trigger } = reached;
    for (const checkout of checkoutsIn(job, { event, trigger }, repository)) {
      const { foreign, step, span } = checkout;
      if (foreign === undefined || places.size >= MAX_PLACES) continue;
      const running = scenariosOf(reached).filter(
        (scenario) => mayRun(step, scenario) && !isBehindRefusedCheckout(step, scenario, repository),
      );
      if (running.length === 0) continue;
      const unproven =
        checkout.guard === 'enforced' &&
        foreign.needsFork !== true &&
        running.some((each) => refusalIn(each) === 'unproven');
      const guard = unproven ? 'unproven' : checkout.guard;
      const place = `${span.start} ${checkout.folder ?? ''}`;
      const other = places.get(place);
      const events = [...new Set([...(other?.events ?? []), event])];
      const worse = other === undefined || GUARD_ORDER.indexOf(guard) < GUARD_ORDER.indexOf(other.guard);
      places.set(place, worse ? { ...checkout, ...reached, guard, foreign, events } : { ...other, events });
    }
  }
  return [...places.values()];
}

const mayCheckOutIn = memoByNode((steps: readonly Step[]) => steps.some(mayCheckOut));

function mayCheckOut(step: Step): boolean {
  if (step.uses !== undefined) return /checkout|build-push-action/.test(step.uses.text.value);
  return BRINGS_CODE.test(step.run?.value ?? '');
}
