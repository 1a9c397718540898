import { type Job, type Step, sourceOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoInRepository } from '../memo.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { codeHostTokens } from '../privileges/personal-tokens.ts';
import { runnerKind } from '../privileges/runners.ts';
import { isChatAddress, opensOnly } from '../privileges/secret-names.ts';
import { releaseJobs } from '../publishing/releases.ts';
import { runsHere } from '../reachability/outsider-reach.ts';
import { jobsRunning } from './jobs-running.ts';

const MAX_SECRETS = 50;

interface Takings {
  readonly secrets: ReadonlySet<string>;
  readonly more: boolean;
}

/**
 * True if code that takes over a job gains next to nothing: a declared read-only token, no secret except chat webhooks
 * and those of the code's own vendor, an ephemeral runner, and no part in a release; or if the job never runs.
 */
export function isLowValueTarget(job: Job, repository: Repository, vendor?: string): boolean {
  return isLittle(takingsOf([job], repository), vendor);
}

/**
 * Like {@link isLowValueTarget} for all jobs that run this step of a local action; vacuously true for none. False for
 * actions outside `.github`, which other repositories may use.
 */
export function servesLowValueTargets(step: Step, repository: Repository, vendor?: string): boolean {
  if (repository.partial || !sourceOf(step).path.startsWith('.github/')) return false;
  return isLittle(takingsAt(step, repository), vendor);
}

const takingsAt = memoInRepository((step: Step, repository) => takingsOf(jobsRunning(step, repository), repository));

function takingsOf(jobs: Iterable<Job>, repository: Repository): Takings {
  const secrets = new Set<string>();
  for (const job of jobs) {
    if (!runsHere(job, repository)) continue;
    const stakes = credentialsOf(job);
    const lasts = runnerKind(job) === 'self-hosted' || releaseJobs(repository).has(job);
    if (stakes.mayWrite || job.uses !== undefined || lasts || codeHostTokens(job).size > 0)
      return { secrets, more: true };
    for (const name of stakes.secrets) if (!isChatAddress(name)) secrets.add(name);
  }
  return { secrets, more: false };
}

function isLittle({ secrets, more }: Takings, vendor: string | undefined): boolean {
  if (more || secrets.size === 0) return !more;
  return (
    vendor !== undefined && secrets.size <= MAX_SECRETS && [...secrets].every((name) => opensOnly(name, vendor, true))
  );
}
