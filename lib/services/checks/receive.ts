import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import * as checks from '#lib/db/queries/pull-request-checks.ts';
import type { Services } from '../context.ts';
import type { Later } from '../scans/scan-push.ts';
import { CHECK_NAME, type PendingCheck, runCheck } from './run.ts';

const ScmId = z.int().positive().transform(String);
const Commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
/** Present in deliveries to the app, and missing from those of a repository’s own webhooks. */
const Installation = z.object({ id: ScmId }).optional();

export const ChangedPull = z.object({
  number: z
    .int()
    .positive()
    .max(2 ** 31 - 1),
  before: Commit.optional(),
  installation: Installation,
  repository: z.object({ id: ScmId, full_name: z.string().min(1).max(200) }),
  pull_request: z.object({
    updated_at: z.iso.datetime({ offset: true }),
    head: z.object({ sha: Commit }),
    base: z.object({ sha: Commit }),
  }),
});

const Rerequested = z.object({
  action: z.literal('rerequested'),
  installation: Installation,
  repository: z.object({ id: ScmId, full_name: z.string().min(1).max(200) }),
});
export const RerequestedRun = Rerequested.extend({ check_run: z.object({ name: z.string(), head_sha: Commit }) });
export const RerequestedSuite = Rerequested.extend({ check_suite: z.object({ head_sha: Commit }) });

export async function checkPull(services: Services, pull: z.output<typeof ChangedPull>, later: Later): Promise<void> {
  const { number, before = null, installation, repository, pull_request: now } = pull;
  if (installation === undefined || services.env.scmApp === null) return;
  const check: PendingCheck = {
    installationId: installation.id,
    scmId: repository.id,
    fullName: repository.full_name,
    number,
    head: now.head.sha,
    base: now.base.sha,
    claim: randomUUID(),
  };
  const isNewest = await checks.begin(services.adminDb(), {
    ...check,
    previousHead: before,
    changedAt: now.updated_at,
  });
  if (isNewest) later(() => runCheck(services, check));
}

export async function checkAgain(
  services: Services,
  { installation, repository }: Pick<z.output<typeof Rerequested>, 'installation' | 'repository'>,
  head: string,
  later: Later,
): Promise<void> {
  if (installation === undefined || services.env.scmApp === null) return;
  const at = { installationId: installation.id, scmId: repository.id };
  const claim = randomUUID();
  for (const pull of await checks.repeat(services.adminDb(), at, head, claim)) {
    later(() => runCheck(services, { ...at, ...pull, fullName: repository.full_name, claim }));
  }
}

export function isOurs({ check_run: { name } }: z.output<typeof RerequestedRun>): boolean {
  return name === CHECK_NAME;
}
