import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Action, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { folderAt, isWithin } from '#lib/workflow/shell/working-directory.ts';
import { isGuarded, outsiderCheckouts } from '../checkouts/checkouts.ts';
import { workspaceFolder } from '../checkouts/locations.ts';
import { RepositoryMemo } from '../memo.ts';
import { privilegedOutsiderEvents } from '../reachability/outsider-reach.ts';
import { callersToJudge } from '../values/local-callers.ts';
import { foreignDownloads } from './artifacts.ts';

export interface UntrustedFiles {
  readonly from: 'checkout' | 'artifact';
  readonly folder: string | undefined;
  /** False if the repository's code produced them from an outsider's data, or the producer is unknown. */
  readonly certain: boolean;
  readonly step: Step;
}

const filesByStep = new RepositoryMemo<Step, Step, readonly UntrustedFiles[]>();

export function untrustedFilesBefore(step: Step, repository: Repository): readonly UntrustedFiles[] {
  return filesByStep.get(repository, step, step, () => findFiles(step, repository));
}

function findFiles(step: Step, repository: Repository): UntrustedFiles[] {
  const job = jobOf(step);
  if (step.parent.kind === 'action') return filesOfCallers(step.parent, repository);
  if (job === undefined || privilegedOutsiderEvents(step, repository).length === 0) return [];
  const downloaded = foreignDownloads(job, repository)
    .filter((download) => download.step.index < step.index || (download.step === step && step.run !== undefined))
    .map(({ folder, trust, step: at }) => ({
      from: 'artifact' as const,
      folder,
      certain: trust === 'fork',
      step: at,
    }));
  const checkedOut = outsiderCheckouts(job, repository)
    .filter((checkout) => checkout.step.index < step.index && !isGuarded(checkout))
    .map(({ folder, step: at }) => ({ from: 'checkout' as const, folder, certain: true, step: at }));
  return [...downloaded, ...checkedOut].filter((files) => !isReplaced(files, step));
}

/** Returns what lies in the workspace when the jobs of the repository use a local action. */
function filesOfCallers(action: Action, repository: Repository): UntrustedFiles[] {
  return (callersToJudge(action, repository) ?? []).flatMap((caller) => untrustedFilesBefore(caller, repository));
}

/** True if a checkout of another commit into the folder or above it came between. */
function isReplaced({ folder, step: from }: UntrustedFiles, step: Step): boolean {
  const at = workspaceFolder(folder);
  return (
    at !== undefined &&
    step.parent.steps.slice(from.index + 1, step.index).some((between) => replacesFolder(between, at))
  );
}

/** True for an unconditional checkout, which removes what lay in its folder and was not committed. */
export function replacesFolder(step: Step, folder: string): boolean {
  if (actionOf(step)?.slug !== 'actions/checkout' || step.condition !== undefined) return false;
  const narrow = ['sparse-checkout', 'clean'].some((name) => inputOf(step, name) !== undefined);
  const into = folderAt('', inputOf(step, 'path')?.value ?? '');
  return !narrow && into !== undefined && isWithin(folder, into);
}
