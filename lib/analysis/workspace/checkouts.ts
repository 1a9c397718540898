import { CHECKOUT_RELEASES } from '#lib/data/curated/checkout-guard.ts';
import { actionOf, innerSteps, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Trigger, Workflow } from '#lib/workflow/model/model.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Folder, folderAt } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { RepositoryMemo } from '../memo.ts';
import { type Scenario } from '../reachability/conditions.ts';
import { mayRun, type OutsiderEvent, privilegedOutsiderEvents, scenariosOf } from '../reachability/outsider-reach.ts';
import { gitCheckouts } from './git-checkouts.ts';
import { mostMovable, nameOf, type PullRequestCode, PullRequestNames } from './pull-request-refs.ts';
import { type RefSource, RefTracer } from './ref-provenance.ts';

/**
 * State of the fork protection of actions/checkout: since June/July 2026 it refuses fork code on `pull_request_target`
 * and `workflow_run`, unless `allow-unsafe-pr-checkout` is set.
 */
export type CheckoutGuard = 'enforced' | 'opted-out' | 'absent';

export interface Checkout {
  readonly step: Step;
  readonly by: 'action' | 'git' | 'gh';
  readonly span: Span;
  readonly folder: Folder;
  readonly foreign: PullRequestCode | undefined;
  readonly guard: CheckoutGuard;
  readonly inner?: readonly Step[];
}

export type EventOf = Pick<OutsiderEvent, 'event' | 'trigger'>;

const checkoutsByJob = new RepositoryMemo<Job, Trigger, readonly Checkout[]>();

/** Returns everything that a job checks out under an event, in order, ignoring conditions. */
export function checkoutsIn(job: Job, { event, trigger }: EventOf, repository: Repository): readonly Checkout[] {
  return checkoutsByJob.get(repository, job, trigger, () =>
    findCheckouts(job, { event }, new PullRequestNames(event, trigger, repository)),
  );
}

function findCheckouts(job: Job, scenario: Scenario, names: PullRequestNames): Checkout[] {
  const tracer = new RefTracer(names.repository, scenario.event);
  const composite = job.steps.flatMap((step) => compositeCheckouts(step, scenario, names));
  return [...checkoutsOf(job.steps, scenario, tracer, names), ...composite].sort(inOrder);
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
  const byAction = steps.flatMap((step) => actionCheckout(step, scenario, tracer, names) ?? []);
  return [...byAction, ...gitCheckouts(steps, tracer, names)];
}

function compositeCheckouts(step: Step, scenario: Scenario, names: PullRequestNames): Checkout[] {
  const steps = innerSteps(step, names.repository);
  const span = step.uses?.text.span;
  if (span === undefined || !steps.some(mayCheckOut)) return [];
  const tracer = new RefTracer(names.repository, scenario.event, step);
  return checkoutsOf(steps, scenario, tracer, names)
    .sort(inOrder)
    .map((checkout) => ({ ...checkout, step, span, inner: steps.slice(checkout.step.index + 1) }));
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
  const foreignRepository =
    from !== undefined && tracer.ofText(from, step).some((origin) => names.of(origin) === 'repository');
  const refs = ref === undefined ? [] : tracer.ofText(ref, step);
  const named = refs.flatMap((origin) => foreignCode(origin, names, foreignRepository) ?? []);
  const foreign =
    mostMovable(named) ??
    (foreignRepository && from !== undefined
      ? { ref: 'branch' as const, moves: true, source: nameOf(from.value) }
      : undefined);
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
        : guardFor(step, scenario, refs, { foreignRepository, repository: names.repository }),
  };
}

function foreignCode(
  origin: RefSource,
  names: PullRequestNames,
  foreignRepository: boolean,
): PullRequestCode | undefined {
  const name = names.of(origin);
  const source = origin.path;
  const later = origin.lookup !== undefined;
  if (name === 'sha' || name === 'merge') return { ref: name, moves: later, source };
  if (name === 'branch') return foreignRepository ? { ref: 'branch', moves: true, source } : undefined;
  if (name === 'text') return { ref: 'branch', moves: true, source };
  const pullRef = /\bpull\/.{0,400}\/(head|merge)\b/.exec(origin.within);
  if (name === 'number' && pullRef !== null) {
    return { ref: pullRef[1] === 'merge' ? 'merge' : 'branch', moves: true, source: nameOf(origin.within) };
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
  // The guard compares with the event's commits, which differ from a later lookup if the author has pushed since.
  const askedLater = !foreignRepository && refs.some(({ lookup }) => lookup === 'sha' || lookup === 'merge');
  return guard === 'enforced' && askedLater ? 'absent' : guard;
}

export function guardOf(step: Step, { platform }: Pick<Repository, 'platform'>): CheckoutGuard {
  const action = actionOf(step);
  if (action?.slug !== 'actions/checkout' || !hasGuard(action.ref, step.uses?.comment, platform)) return 'absent';
  const optIn = inputOf(step, 'allow-unsafe-pr-checkout');
  return optIn === undefined || isFalse(optIn) ? 'enforced' : 'opted-out';
}

function hasGuard(ref: string, comment: string | undefined, platform: Platform): boolean {
  const release = CHECKOUT_RELEASES.find(({ tag, sha }) => (isFullSha(ref) ? sha === ref.toLowerCase() : tag === ref));
  if (release !== undefined) return release.guarded;
  if (isFullSha(ref)) {
    const version = /\bv?\d+\.\d+\.\d+\b/.exec(comment ?? '')?.[0];
    return version !== undefined && isNewerThanKnown(version);
  }
  // Floating major tags were moved to guarded releases; a branch carries the newest code.
  if (/^v[2-9]$/.test(ref) || /^v\d{2,}$/.test(ref) || ref === 'main') return platform.does('guarded-checkout-tags');
  return isNewerThanKnown(ref);
}

function isNewerThanKnown(version: string): boolean {
  const wanted = numbersOf(version);
  if (wanted === undefined) return false;
  const guarded = CHECKOUT_RELEASES.filter((release) => release.guarded).flatMap(({ tag }) => [numbersOf(tag) ?? []]);
  const sameMajor = guarded.filter(([major]) => major === wanted[0]);
  if (sameMajor.length === 0) return (wanted[0] ?? 0) > 7;
  return sameMajor.some(([, minor = 0, patch = 0]) => {
    const [, wantedMinor = 0, wantedPatch = 0] = wanted;
    return wantedMinor > minor || (wantedMinor === minor && wantedPatch >= patch);
  });
}

function numbersOf(version: string): number[] | undefined {
  return /^v?\d+\.\d+(?:\.\d+)?$/.test(version) ? version.replace('v', '').split('.').map(Number) : undefined;
}

export interface OutsiderCheckout extends Checkout {
  readonly foreign: PullRequestCode;
  readonly event: string;
  readonly trigger: Trigger;
  readonly workflow: Workflow;
  readonly events: readonly string[];
}

const GUARD_ORDER: readonly CheckoutGuard[] = ['opted-out', 'absent', 'enforced'];

const MAX_PLACES = 50;

const outsiderCheckoutsByJob = new RepositoryMemo<Job, Job, readonly OutsiderCheckout[]>();

/** Returns the checkouts that bring an outsider's code into a privileged run, each place once. */
export function outsiderCheckouts(job: Job, repository: Repository): readonly OutsiderCheckout[] {
  return outsiderCheckoutsByJob.get(repository, job, job, () => findOutsiderCheckouts(job, repository));
}

function findOutsiderCheckouts(job: Job, repository: Repository): OutsiderCheckout[] {
  const places = new Map<number, OutsiderCheckout>();
  if (!job.steps.some((step) => mayCheckOut(step) || innerSteps(step, repository).some(mayCheckOut))) return [];
  for (const { event, trigger, workflow } of privilegedOutsiderEvents(job, repository)) {
    for (const checkout of checkoutsIn(job, { event, trigger }, repository)) {
      const { foreign, step, span } = checkout;
      if (foreign === undefined || places.size >= MAX_PLACES) continue;
      if (!scenariosOf({ event, trigger }).some((scenario) => mayRun(step, scenario))) continue;
      const other = places.get(span.start);
      const events = [...new Set([...(other?.events ?? []), event])];
      const worse = other === undefined || GUARD_ORDER.indexOf(checkout.guard) < GUARD_ORDER.indexOf(other.guard);
      places.set(span.start, worse ? { ...checkout, foreign, event, trigger, workflow, events } : { ...other, events });
    }
  }
  return [...places.values()];
}

function mayCheckOut(step: Step): boolean {
  if (step.uses !== undefined) return step.uses.text.value.includes('checkout');
  return /\b(?:git|gh|hub)\b/.test(step.run?.value ?? '');
}
