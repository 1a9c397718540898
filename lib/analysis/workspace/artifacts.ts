import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { isGuarded, outsiderCheckouts } from '../checkouts/checkouts.ts';
import {
  downloadsOfRuns,
  type ForeignDownload,
  folderIn,
  mayEqual,
  readsOnly,
  uploadsFrom,
} from '../checkouts/run-artifacts.ts';
import { RepositoryMemo } from '../memo.ts';
import { approvalBefore, isLabelled } from '../reachability/approvals.ts';
import { neededJobs } from '../reachability/needed-jobs.ts';
import { privilegedOutsiderEvents } from '../reachability/outsider-reach.ts';

const downloadsByJob = new RepositoryMemo<Job, Job, readonly ForeignDownload[]>();

/**
 * Returns the downloads that can bring an outsider's content into a privileged run, in order. Excludes producers and
 * steps that only trusted events reach.
 */
export function foreignDownloads(job: Job, repository: Repository): readonly ForeignDownload[] {
  return downloadsByJob.get(repository, job, job, () => {
    const own = job.steps.flatMap((step) => ownDownload(step, job, repository) ?? []);
    const others = downloadsOfRuns(job, repository)
      .filter(({ step }) => own.every((each) => each.step !== step))
      .map((download) =>
        download.trust === 'fork' && isApproved(download.step, repository)
          ? { ...download, trust: 'conditional' as const }
          : download,
      );
    return own.length === 0 ? others : [...own, ...others].sort((a, b) => a.step.index - b.step.index);
  });
}

function isApproved(step: Step, repository: Repository): boolean {
  const events = privilegedOutsiderEvents(step, repository);
  return (
    events.length > 0 &&
    events.every((event) => {
      const approval = approvalBefore(step, event, repository);
      return approval === 'permission' || isLabelled(approval);
    })
  );
}

function ownDownload(step: Step, job: Job, repository: Repository): ForeignDownload | undefined {
  const action = actionOf(step);
  if (action?.slug !== 'actions/download-artifact' || step.uses === undefined) return undefined;
  const run = inputOf(step, 'run-id');
  if (run !== undefined && !readsOnly(run, 'github.run_id')) return undefined;
  if (privilegedOutsiderEvents(step, repository).length === 0) return undefined;
  const name = inputOf(step, 'name')?.value.trim() || undefined;
  const common = {
    step,
    how: `${action.owner}/${action.repo}`,
    span: step.uses.span,
    name,
    folder: folderIn(inputOf(step, 'path'), step),
    producers: [job.workflow],
    conditionsToDrop: false,
    stepsAfterDownload: [],
  };
  for (const needed of neededJobs(job)) {
    const checkout = outsiderCheckouts(needed, repository).find((each) => !isGuarded(each));
    if (checkout !== undefined && uploadsAfter(checkout.step, name, needed)) {
      const approved = approvalBefore(checkout.step, checkout, repository) !== undefined;
      return { ...common, trust: approved ? 'conditional' : 'fork', madeBy: needed };
    }
    const passed = downloadsOfRuns(needed, repository).find(
      (download) =>
        download.trust === 'fork' &&
        needed.steps.slice(download.step.index + 1).some((each) => uploadsFrom(each, download.folder ?? '.', name)),
    );
    if (passed !== undefined) return { ...common, trust: 'fork', madeBy: needed };
  }
  return undefined;
}

function uploadsAfter(checkout: Step, name: string | undefined, { steps }: Job): boolean {
  return steps.slice(checkout.index + 1).some((each) => {
    const given = actionOf(each)?.slug === 'actions/upload-artifact';
    return given && (name === undefined || mayEqual(inputOf(each, 'name')?.value ?? 'artifact', name));
  });
}
