import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Folder, folderAt, isWithin } from '#lib/workflow/shell/working-directory.ts';
import { memoByNode, memoInRepository, RepositoryMemo } from '../memo.ts';
import { privilegedOutsiderEvents } from '../reachability/outsider-reach.ts';
import { callersToJudge } from '../values/local-callers.ts';
import { isGuarded, outsiderCheckouts } from './checkouts.ts';
import { workspaceFolder } from './locations.ts';

export interface CheckedOutFiles {
  readonly from: 'checkout';
  readonly folder: string | undefined;
  readonly step: Step;
  readonly replacedAt: number;
}

export const checkedOutFiles = memoInRepository((job: Job, repository): readonly CheckedOutFiles[] =>
  outsiderCheckouts(job, repository)
    .filter((checkout) => !isGuarded(checkout))
    .map(({ folder, step }) => ({ from: 'checkout', folder, step, replacedAt: indexOfReplacement(folder, step) })),
);

export function checkedOutBefore(step: Step, repository: Repository): readonly CheckedOutFiles[] {
  return filesByStep.get(repository, step, step, () => findFiles(step, repository));
}

const filesByStep = new RepositoryMemo<Step, Step, readonly CheckedOutFiles[]>();

function findFiles(step: Step, repository: Repository): readonly CheckedOutFiles[] {
  if (step.parent.kind === 'action') {
    return (callersToJudge(step.parent, repository) ?? []).flatMap((caller) => checkedOutBefore(caller, repository));
  }
  const job = jobOf(step);
  if (job === undefined || privilegedOutsiderEvents(step, repository).length === 0) return [];
  return checkedOutFiles(job, repository).filter(
    (files) => files.step.index < step.index && step.index <= files.replacedAt,
  );
}

export function indexOfReplacement(folder: string | undefined, step: Step): number {
  const placed = workspaceFolder(folder);
  const replaced =
    placed === undefined
      ? undefined
      : replacementsIn(step.parent).find(({ index, into }) => index > step.index && isWithin(placed, into));
  return replaced?.index ?? Number.POSITIVE_INFINITY;
}

const replacementsIn = memoByNode(({ steps }: Step['parent']) =>
  steps.flatMap((step) => {
    const into = replacedFolder(step);
    return into === undefined ? [] : [{ index: step.index, into }];
  }),
);

/** True for an unconditional checkout, which removes what lay in its folder and was not committed. */
export function replacesFolder(step: Step, folder: string): boolean {
  const into = replacedFolder(step);
  return into !== undefined && isWithin(folder, into);
}

function replacedFolder(step: Step): Folder {
  if (actionOf(step)?.slug !== 'actions/checkout' || step.condition !== undefined) return undefined;
  const narrow = ['sparse-checkout', 'clean'].some((name) => inputOf(step, name) !== undefined);
  return narrow ? undefined : folderAt('', inputOf(step, 'path')?.value ?? '');
}
