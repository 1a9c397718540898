import { CHECKOUT_RELEASES, guardFor, type Refusal } from '#lib/data/curated/checkout-guard.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { memoByNode, RepositoryMemo } from '../memo.ts';
import { holds, type Scenario } from './conditions.ts';
import { requiredJobs, runsAfterFailure } from './needed-jobs.ts';

/**
 * State of the fork protection of actions/checkout: since June/July 2026 it refuses fork code on `pull_request_target`
 * and `workflow_run`, unless `allow-unsafe-pr-checkout` is set. `unproven` if the fork may be gone by then.
 */
export type CheckoutGuard = 'enforced' | 'unproven' | 'opted-out' | 'absent';

export function guardOf(step: Step, { platform }: Pick<Repository, 'platform'>): Exclude<CheckoutGuard, 'unproven'> {
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

/** Returns what the guard does with a fork's code in a scenario; undefined for events that it does not check. */
export function refusalIn({ event, action }: Scenario): Refusal | undefined {
  return guardFor(event, action)?.refusal;
}

/**
 * True for a step or job that a fork's pull request does not reach, because actions/checkout refuses the fork's code
 * before it.
 */
export function isBehindRefusedCheckout(node: Job | Step, scenario: Scenario, repository: Repository): boolean {
  if (scenario.by === 'anyone' || refusalIn(scenario) === undefined) return false;
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined) return false;
  if (node.kind === 'step' && !runsAfterFailure(node) && firstRefusal(job, scenario, repository) < node.index)
    return true;
  return refusedNeeds.get(repository, job, keyOf(scenario), () =>
    requiredJobs(job, [scenario]).some((each) => firstRefusal(each, scenario, repository) < each.steps.length),
  );
}

const refusedNeeds = new RepositoryMemo<Job, string, boolean>();
const refusalsByJob = new RepositoryMemo<Job, string, number>();

function keyOf({ event, action, identity, labels, by }: Scenario): string {
  return [event, action, identity, labels, by].join(' ');
}

function firstRefusal(job: Job, scenario: Scenario, repository: Repository): number {
  if (!namesForkCode(job)) return Number.POSITIVE_INFINITY;
  return refusalsByJob.get(repository, job, keyOf(scenario), () => {
    const first = job.steps.find(
      (step) =>
        guardOf(step, repository) === 'enforced' &&
        takesForkCode(step, job, scenario.event) &&
        !step.mapping.entries.has('continue-on-error') &&
        holds(step.condition, scenario) === true,
    );
    return first?.index ?? Number.POSITIVE_INFINITY;
  });
}

const namesForkCode = memoByNode(({ steps }: Job): boolean =>
  steps.some((step) => actionOf(step)?.slug === 'actions/checkout' && step.with !== undefined),
);

const FORK_CODE: Readonly<Record<string, { readonly ref: RegExp; readonly repository: RegExp }>> = {
  pull_request_target: {
    ref: /^(?:\$\{\{\s*github\.event\.pull_request\.head\.sha\s*(?:\|\|[^}]*)?\}\}|refs\/pull\/\$\{\{\s*github\.event\.(?:pull_request\.)?number\s*\}\}\/(?:head|merge))$/i,
    repository: /^\$\{\{\s*github\.event\.pull_request\.head\.repo\.full_name\s*(?:\|\|[^}]*)?\}\}$/i,
  },
  workflow_run: {
    ref: /^\$\{\{\s*github\.event\.workflow_run\.(?:head_sha|head_commit\.id)\s*(?:\|\|[^}]*)?\}\}$/i,
    repository: /^\$\{\{\s*github\.event\.workflow_run\.head_repository\.full_name\s*(?:\|\|[^}]*)?\}\}$/i,
  },
};

function takesForkCode(step: Step, job: Job, event: string): boolean {
  const names = ownValue(FORK_CODE, event);
  if (names === undefined) return false;
  // Runs that do not concern a pull request pass the guard.
  if (event === 'workflow_run' && ![job, step].some(asksForPullRequest)) return false;
  const ref = inputOf(step, 'ref')?.value.trim() ?? '';
  const repository = inputOf(step, 'repository')?.value.trim() ?? '';
  return names.ref.test(ref) || names.repository.test(repository);
}

function asksForPullRequest({ condition }: Job | Step): boolean {
  return /workflow_run\.event\s*==\s*'pull_request'(?![\s\S]*\|\|)/.test(condition?.value ?? '');
}
