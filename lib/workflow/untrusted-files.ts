import { CHECKOUT_RELEASES } from '../data/checkout-guard.ts';
import { actionOf, inputOf, isTrue } from './actions.ts';
import { foreignDownloads } from './artifacts.ts';
import { accessedPaths, expressionsIn } from './expression.ts';
import { privilegedOutsiderEvents } from './guards.ts';
import { jobOf, type Step, type Text } from './model.ts';
import { isFullSha } from './reference.ts';
import type { Repository } from './repository.ts';
import { commandsOf } from './shell.ts';

/** Files in a job's workspace whose content an outsider chose. */
export interface UntrustedFiles {
  readonly from: 'checkout' | 'artifact';
  /** The folder they lie in as written, or undefined for the workspace itself. */
  readonly folder: string | undefined;
  /** False when the repository's own files produced them from an outsider's data, or the producer is not known. */
  readonly certain: boolean;
  readonly step: Step;
}

const filesByStep = new WeakMap<Step, readonly UntrustedFiles[]>();

/** What an outsider placed on disk before a step, in a run with the base repository's rights. */
export function untrustedFilesBefore(step: Step, repository: Repository): readonly UntrustedFiles[] {
  let files = filesByStep.get(step);
  if (files === undefined) {
    files = findFiles(step, repository);
    filesByStep.set(step, files);
  }
  return files;
}

function findFiles(step: Step, repository: Repository): UntrustedFiles[] {
  const job = jobOf(step);
  if (job === undefined || privilegedOutsiderEvents(step, repository).length === 0) return [];
  const downloaded = foreignDownloads(job, repository)
    .filter((download) => download.step.index < step.index || (download.step === step && step.run !== undefined))
    .map(({ folder, trust, step: at }) => ({
      from: 'artifact' as const,
      folder,
      certain: trust === 'fork',
      step: at,
    }));
  const checkedOut = job.steps.slice(0, step.index).flatMap((before): UntrustedFiles[] => {
    if (!checksOutHead(before, repository)) return [];
    return [{ from: 'checkout', folder: inputOf(before, 'path')?.value.trim(), certain: true, step: before }];
  });
  return [...downloaded, ...checkedOut];
}

/** The events in which the checkout action compares what it is asked for with the fork. */
const GUARDED_EVENTS: ReadonlySet<string> = new Set(['pull_request_target', 'workflow_run']);

const HEAD_REF = /pull_request\.head\.(?:sha|ref)$|^github\.head_ref$|workflow_run\.head_(?:sha|branch|commit\.id)$/;

/** Whether a step places a pull request's code in the workspace, and the checkout action does not refuse to. */
export function checksOutHead(step: Step, repository: Repository): boolean {
  if (actionOf(step)?.slug === 'actions/checkout') {
    const ref = inputOf(step, 'ref');
    if (ref === undefined || !namesHead(ref)) return false;
    const events = privilegedOutsiderEvents(step, repository).map(({ event }) => event);
    const branchOnly = !/sha|commit\.id|refs\/pull/.test(ref.value);
    // A branch of the fork is looked for in the base repository unless that is named too.
    if (branchOnly && inputOf(step, 'repository') === undefined) return false;
    return events.some((event) => !refusesForks(step, repository) || !GUARDED_EVENTS.has(event));
  }
  return (
    privilegedOutsiderEvents(step, repository).length > 0 &&
    commandsOf(step).some(
      ({ program, args, text }) =>
        (program === 'gh' && args[0]?.value === 'pr' && args[1]?.value === 'checkout') ||
        (program === 'git' && args.some(({ value }) => value === 'fetch') && /\bpull\//.test(text)),
    )
  );
}

function namesHead(ref: Text): boolean {
  if (/refs\/pull\//.test(ref.value)) return true;
  return expressionsIn(ref).some(
    ({ node }) => node !== undefined && accessedPaths(node).some((path) => HEAD_REF.test(path)),
  );
}

/** The checkout action's releases of 2026 refuse a fork's code in the two events they know, unless told otherwise. */
function refusesForks(step: Step, { platform }: Repository): boolean {
  if (isTrue(inputOf(step, 'allow-unsafe-pr-checkout'))) return false;
  const ref = actionOf(step)?.ref ?? '';
  const release = isFullSha(ref)
    ? CHECKOUT_RELEASES.find(({ sha }) => sha === ref.toLowerCase())
    : CHECKOUT_RELEASES.find(({ tag }) => tag === ref);
  if (release !== undefined) return release.guarded;
  if (/^v[2-9]$|^(?:main|master)$/.test(ref)) return platform.does('guarded-checkout-tags');
  return /^v[7-9]\b/.test(ref);
}
