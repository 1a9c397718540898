import type { Job } from './model.ts';
import { releaseJobs } from './releases.ts';
import type { Repository } from './repository.ts';
import { runnerKind } from './runners.ts';
import { stakesOf } from './stakes.ts';

/**
 * Whether code that takes over a job gets next to nothing: a declared token that only reads, no secret, a machine that
 * ends with the job, and nothing built that is released later.
 */
export function hasLittleToTake(job: Job, repository: Repository): boolean {
  const { any, mayWrite } = stakesOf(job);
  if (any || mayWrite || job.uses !== undefined || runnerKind(job) === 'self-hosted') return false;
  return !releaseJobs(repository).has(job);
}
