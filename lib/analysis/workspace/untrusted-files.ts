import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Action, type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { type Folder, folderAt, isWithin } from '#lib/workflow/shell/working-directory.ts';
import { isGuarded, outsiderCheckouts } from '../checkouts/checkouts.ts';
import { workspaceFolder } from '../checkouts/locations.ts';
import { memoByNode, memoInRepository, RepositoryMemo } from '../memo.ts';
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
  return filesOfJob(job, repository).flatMap(({ files, replacedAt, within }) => {
    const at = files.step.index;
    const present = at < step.index || (within && files.step === step && step.run !== undefined);
    return present && step.index <= replacedAt ? [files] : [];
  });
}

interface PlacedFiles {
  readonly files: UntrustedFiles;
  readonly replacedAt: number;
  /** Set if the step that places the files may use them. */
  readonly within: boolean;
}

/** Comparing each step with each place would take time that grows with the cube of the job. */
const filesOfJob = memoInRepository((job: Job, repository): readonly PlacedFiles[] => [
  ...foreignDownloads(job, repository).map(({ folder, trust, step }) =>
    placedFiles({ from: 'artifact', folder, certain: trust === 'fork', step }, true),
  ),
  ...outsiderCheckouts(job, repository)
    .filter((checkout) => !isGuarded(checkout))
    .map(({ folder, step }) => placedFiles({ from: 'checkout', folder, certain: true, step }, false)),
]);

function placedFiles(files: UntrustedFiles, within: boolean): PlacedFiles {
  const folder = workspaceFolder(files.folder);
  const replaced =
    folder === undefined
      ? undefined
      : replacementsIn(files.step.parent).find(({ index, into }) => index > files.step.index && isWithin(folder, into));
  return { files, within, replacedAt: replaced?.index ?? Number.POSITIVE_INFINITY };
}

function filesOfCallers(action: Action, repository: Repository): UntrustedFiles[] {
  return (callersToJudge(action, repository) ?? []).flatMap((caller) => untrustedFilesBefore(caller, repository));
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
