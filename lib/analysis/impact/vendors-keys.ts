import { OPERATORS } from '#lib/data/curated/vendor-keys.ts';
import type { RepositoryReference } from '#lib/workflow/model/action-uses.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByNode } from '../memo.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { codeHostTokens } from '../privileges/personal-tokens.ts';
import { opensLittle, opensOnly, secretNamesIn } from '../privileges/secret-names.ts';
import { writesMoreThanTalk } from '../privileges/worthy-writes.ts';
import { identityAskers, identityUse } from '../publishing/identity-use.ts';
import { PACKAGE_REGISTRIES } from '../publishing/package-registries.ts';

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
  const opens = (name: string): boolean => sent.has(name) || isKeyOf(vendors, name, job);
  const identity = mintsOidc ? identityUse(job, repository) : 'none';
  const signsIn = identity === 'opens' && vendors.some((vendor) => isOnlyAsker(vendor, job, repository));
  return (
    (signsIn || (identity === 'none' && secrets.some(opens))) &&
    secrets.every((name) => opens(name) || opensLittle(name))
  );
}

export function isKeyOf(vendors: readonly string[], secret: string, job: Job): boolean {
  if (!vendors.some((vendor) => opensOnly(secret, vendor)) || codeHostTokens(job).has(secret)) return false;
  return vendors.some((vendor) => OPERATORS.has(vendor.toLowerCase())) || !registryKeysOf(job).has(secret);
}

const registryKeysOf = memoByNode(({ env, steps, workflow }: Job): ReadonlySet<string> => {
  const given = [env, workflow.env, ...steps.map((step) => step.env)].flatMap((variables) => variables?.entries ?? []);
  const keys = given.filter(({ name }) => PACKAGE_REGISTRIES.some(({ variables }) => variables.test(name)));
  return new Set(keys.flatMap(({ value }) => secretNamesIn(value)));
});

export function accountAndSite({ owner, repo }: RepositoryReference): string[] {
  return repo.indexOf('.') > 0 ? [owner, repo] : [owner];
}

function isOnlyAsker(account: string, job: Job, repository: Repository): boolean {
  const owner = account.toLowerCase();
  const askers = identityAskers(job, repository);
  return OPERATORS.has(owner) && askers.size === 1 && askers.has(owner);
}
