import { OPERATORS } from '#lib/data/curated/vendor-keys.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { opensLittle, opensOnly } from '../privileges/secret-names.ts';
import { writesMoreThanTalk } from '../privileges/worthy-writes.ts';
import { identityAskers, identityUse } from '../publishing/identity-use.ts';

const NONE: ReadonlySet<string> = new Set();

const MAX_SECRETS = 50;

/**
 * True if all that a job holds, apart from keys that open little, opens services of these vendors: their own programs
 * gain nothing by stealing it. `sent` are keys that the vendor receives anyway.
 */
export function losesOnlyTo(
  vendors: readonly string[],
  job: Job,
  repository: Repository,
  sent: ReadonlySet<string> = NONE,
): boolean {
  const { secrets, mintsOidc } = credentialsOf(job);
  if (secrets.length > MAX_SECRETS || writesMoreThanTalk(job, repository)) return false;
  const opens = (name: string): boolean => sent.has(name) || vendors.some((vendor) => opensOnly(name, vendor));
  const identity = mintsOidc ? identityUse(job, repository) : 'none';
  const signsIn = identity === 'opens' && vendors.some((vendor) => isOnlyAsker(vendor, job, repository));
  return (
    (signsIn || (identity === 'none' && secrets.some(opens))) &&
    secrets.every((name) => opens(name) || opensLittle(name))
  );
}

function isOnlyAsker(account: string, job: Job, repository: Repository): boolean {
  const owner = account.toLowerCase();
  const askers = identityAskers(job, repository);
  return OPERATORS.has(owner) && askers.size === 1 && askers.has(owner);
}
