import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository } from '../memo.ts';
import { isGated } from '../reachability/approvals.ts';
import { outsiderEvents } from '../reachability/outsider-reach.ts';
import { isSingleUse, knownLabels, runnerKindIn } from './runners.ts';

const MAX_KINDS = 30;

/** True if any machine that takes this job also takes one that runs the code of pull requests from forks. */
export function isOpenToForks(job: Job, repository: Repository): boolean {
  if (job.runsOn?.group !== undefined) return false;
  const labels = new Set(ownNames(job));
  return openMachines(repository).some((names) => names.every((name) => labels.has(name)));
}

const openMachines = memoByRepository((repository): readonly (readonly string[])[] => {
  const found = new Map<string, readonly string[]>();
  for (const { jobs } of repository.workflows) {
    for (const job of jobs) {
      if (found.size >= MAX_KINDS || !runsForks(job, repository)) continue;
      const names = ownNames(job);
      found.set(names.join(' '), names);
    }
  }
  return [...found.values()];
});

function runsForks(job: Job, repository: Repository): boolean {
  if (job.runsOn === undefined || job.runsOn.group !== undefined || isSingleUse(job)) return false;
  if (job.runsOn.labels.some(({ value }) => value.includes('${{')) || runnerKindIn(job, repository) !== 'self-hosted')
    return false;
  return outsiderEvents(job, repository).some(
    (event) => event.reach === 'outsider-unprivileged' && !isGated(job, event, repository),
  );
}

function ownNames(job: Job): readonly string[] {
  return knownLabels(job)
    .filter((label) => label !== 'self-hosted')
    .sort();
}
