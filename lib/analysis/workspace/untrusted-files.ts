import { type Action, type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { checkedOutFiles, indexOfReplacement } from '../checkouts/checked-out-files.ts';
import { memoInRepository, RepositoryMemo } from '../memo.ts';
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
  return filesOfJob(job, repository).flatMap(({ files, replacedAt, usableInSameStep }) => {
    const at = files.step.index;
    const present = at < step.index || (usableInSameStep && files.step === step && step.run !== undefined);
    return present && step.index <= replacedAt ? [files] : [];
  });
}

interface PlacedFiles {
  readonly files: UntrustedFiles;
  readonly replacedAt: number;
  readonly usableInSameStep: boolean;
}

/** Comparing each step with each place would take time that grows with the cube of the job. */
const filesOfJob = memoInRepository((job: Job, repository): readonly PlacedFiles[] => [
  ...foreignDownloads(job, repository).map(({ folder, trust, step }) => ({
    files: { from: 'artifact' as const, folder, certain: trust === 'fork', step },
    replacedAt: indexOfReplacement(folder, step),
    usableInSameStep: true,
  })),
  ...checkedOutFiles(job, repository).map(({ folder, step, replacedAt }) => ({
    files: { from: 'checkout' as const, folder, certain: true, step },
    replacedAt,
    usableInSameStep: false,
  })),
]);

function filesOfCallers(action: Action, repository: Repository): UntrustedFiles[] {
  return (callersToJudge(action, repository) ?? []).flatMap((caller) => untrustedFilesBefore(caller, repository));
}
