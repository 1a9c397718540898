import { setTimeout as delay } from 'node:timers/promises';
import * as checks from '#lib/db/queries/pull-request-checks.ts';
import { AppError } from '#lib/errors.ts';
import type { CheckRun } from '#lib/hosts/code-host/port.ts';
import { Limiter } from '#lib/hosts/limiter.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import type { CheckOutcome, Wishes } from './check-change.ts';

export const CHECK_NAME = 'Chainbreak';

export interface PendingCheck extends checks.CheckedPull, checks.PullCommits {
  readonly fullName: string;
  readonly claim: string;
}

type Conclusion = Pick<CheckRun, 'conclusion' | 'title' | 'summary' | 'annotations'>;

const MAX_CONCURRENT = 2;
const MAX_ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 60;

const CONCLUSIONS = { broken: 'failure', found: 'neutral', clean: 'success' } as const;

/** Checks waiting here when a newer head arrives cost no request. */
const turns = new Limiter({ maxConcurrent: MAX_CONCURRENT });

/**
 * Checks a pull request and sets the check run of its head. Sends nothing once a newer head is known, without the
 * permission, and for an installation that no organization linked. Never throws.
 */
export async function runCheck(services: Services, check: PendingCheck): Promise<void> {
  const at = { scm_id: check.scmId, number: check.number };
  try {
    await turns.run(() => run(services, check));
  } catch (error) {
    if (error instanceof AppError) services.log.warn('check run not set', { error, ...at });
    else services.log.error('check of a pull request failed', { error, ...at });
  }
}

async function run(services: Services, check: PendingCheck): Promise<void> {
  const db = services.adminDb();
  const app = services.codeHostApp();
  const startedAt = new Date().toISOString();
  const isCurrent = () => checks.isCurrent(db, check, check.claim);
  if (!(await isCurrent())) return;
  const policies = await checks.listPolicies(db, check.installationId, check.scmId);
  if (policies.length === 0 || !(await app.maySetChecks(check.installationId))) return;
  const concluded = await conclude(services, check, policies);
  if (!(await isCurrent())) return;
  await app.setCheckRun(check.installationId, check, {
    name: CHECK_NAME,
    head: check.head,
    externalId: `${check.number}-${check.claim}`,
    detailsUrl: detailsUrl(services.env.webUrl, policies),
    startedAt,
    ...concluded,
  });
}

function detailsUrl(webUrl: string, policies: readonly checks.OrganizationPolicy[]): string {
  const [only, ...others] = policies;
  if (only === undefined || only.repo_id === null || others.length > 0) return `${webUrl}/o`;
  return `${webUrl}/o/${only.org_id}/repositories/${only.repo_id}`;
}

async function conclude(
  services: Services,
  check: PendingCheck,
  policies: readonly checks.OrganizationPolicy[],
): Promise<Conclusion> {
  try {
    const outcome = await patiently(() => inspect(services, check, policies));
    if (outcome === null) {
      const summary = 'This pull request changes no workflow, action or settings file.';
      return { conclusion: 'success', title: 'Nothing to check', summary, annotations: [] };
    }
    const { verdict, title, summary, annotations } = outcome;
    return { conclusion: CONCLUSIONS[verdict], title, summary, annotations };
  } catch (error) {
    const isExpected = error instanceof AppError && error.code !== 'internal';
    services.log[isExpected ? 'warn' : 'error']('pull request not checked', { error, number: check.number });
    const reason = isExpected ? error.message : 'Chainbreak failed.';
    const summary = `**This pull request was not checked.** ${reason}\n\nRe-run the check to try again.`;
    return { conclusion: 'neutral', title: 'Not checked', summary, annotations: [] };
  }
}

async function inspect(
  services: Services,
  check: PendingCheck,
  policies: readonly checks.OrganizationPolicy[],
): Promise<CheckOutcome | null> {
  const { base, head, fullName } = check;
  const read = await services.codeHostApp().readChange(check.installationId, check, { base, head });
  if (!read.isRelevant) return null;
  const wishes = policies.map(
    ({ fail_on: failOn, new_only: newOnly, disabled_rules: disabledRules, decided }): Wishes => ({
      failOn,
      newOnly,
      disabledRules,
      statusByFingerprint: decided,
    }),
  );
  const { scm } = services.env;
  return isolated(services, 'connected', 'checkChange', read, { fullName, wishes }, { scm });
}

async function patiently<T>(task: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      const seconds = error instanceof AppError ? (error.retryAfterSeconds ?? Infinity) : Infinity;
      if (attempt === MAX_ATTEMPTS || seconds > MAX_WAIT_SECONDS) throw error;
      await delay(seconds * 1_000);
    }
  }
}
