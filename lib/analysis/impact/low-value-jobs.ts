import type { Action, Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { RepositoryMemo } from '../memo.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { runnerKind } from '../privileges/runners.ts';
import { isChatAddress, opensOnly } from '../privileges/secret-names.ts';
import { releaseJobs } from '../publishing/releases.ts';
import { jobsUsingAction } from './jobs-using-action.ts';

/** More names than this are not all one vendor's. */
const MAX_SECRETS = 50;

/** What code in some jobs gets hold of. */
interface Takings {
  /** Without the addresses of a chat's channels. */
  readonly secrets: ReadonlySet<string>;
  /** A token that may write, a machine that lasts, a part in a release. */
  readonly more: boolean;
}

/**
 * Whether code that takes over a job gets next to nothing: a declared token that only reads, no secret but the address of a
 * chat's channel or what the code's own vendor has given out, a machine that ends with the job, and nothing built that is
 * released later.
 */
export function isLowValueTarget(job: Job, repository: Repository, vendor?: string): boolean {
  return isLittle(takingsOf([job], repository), vendor);
}

/**
 * The same of every job that an action of the repository's own serves, also where it serves none. False for an action that
 * other repositories may be meant to use, one outside of `.github`.
 */
export function servesLowValueTargets(action: Action, repository: Repository, vendor?: string): boolean {
  if (repository.partial || !action.source.path.startsWith('.github/')) return false;
  const takings = takingsByAction.get(repository, action, action, () =>
    takingsOf(jobsUsingAction(action, repository), repository),
  );
  return isLittle(takings, vendor);
}

const takingsByAction = new RepositoryMemo<Action, Action, Takings>();

function takingsOf(jobs: Iterable<Job>, repository: Repository): Takings {
  const secrets = new Set<string>();
  for (const job of jobs) {
    const stakes = credentialsOf(job);
    const lasts = runnerKind(job) === 'self-hosted' || releaseJobs(repository).has(job);
    if (stakes.mayWrite || job.uses !== undefined || lasts) return { secrets, more: true };
    for (const name of stakes.secrets) if (!isChatAddress(name)) secrets.add(name);
  }
  return { secrets, more: false };
}

function isLittle({ secrets, more }: Takings, vendor: string | undefined): boolean {
  if (more || secrets.size === 0) return !more;
  return vendor !== undefined && secrets.size <= MAX_SECRETS && [...secrets].every((name) => opensOnly(name, vendor));
}
