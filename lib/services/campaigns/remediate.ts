import * as campaigns from '#lib/db/queries/campaigns.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import type { CampaignRepo } from '#lib/db/shapes/campaigns.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';
import { remediateRepository } from '../fixes/remediate.ts';
import type { SkippedFile } from '../fixes/remediation.ts';

const TAKEOVER_SECONDS = 15 * 60;
const MAX_ERROR_LENGTH = 2_000;

export interface RowOutcome extends Pick<CampaignRepo, 'prs_opened' | 'error' | 'pull_requests'> {
  readonly status: 'succeeded' | 'failed';
  readonly skipped: readonly SkippedFile[];
}

/**
 * Opens the fix pull requests of one repository of a campaign. Of concurrent calls one does the work, the others throw
 * `already-running`. What the code host refuses ends up in `error`.
 */
export async function remediateRow(
  services: Services,
  user: organizations.Caller,
  org: string | undefined,
  key: campaigns.RowKey,
): Promise<RowOutcome> {
  const db = services.adminDb();
  const orgId = org === undefined ? null : (await organizations.resolve(db, user, org)).id;
  const claim = await campaigns.claim(db, user.id, orgId, key, TAKEOVER_SECONDS);
  const row = { ...key, attempt: claim.attempt };
  const { status, error, skipped } = await attempt(services, row, claim);
  const { prs_opened, pull_requests } = await campaigns.finish(db, row, status, shortened(error));
  return { status, prs_opened, error: shortened(error), pull_requests, skipped };
}

async function attempt(services: Services, row: campaigns.HeldRow, { target, ruleset }: campaigns.Claim) {
  if (target === null) return failed('The repository left the installation of the app.');
  try {
    return await remediateRepository(services, {
      target,
      ruleset,
      record: (opened) => campaigns.recordPullRequests(services.adminDb(), row, [opened]),
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'already-running') throw error;
    if (error instanceof AppError && error.code !== 'internal') return failed(error.message);
    await campaigns.finish(services.adminDb(), row, 'failed', 'The service failed. Try again.');
    throw error;
  }
}

function failed(error: string) {
  return { status: 'failed', error, skipped: [] } as const;
}

function shortened(error: string | null): string | null {
  return error === null || error.length <= MAX_ERROR_LENGTH
    ? error
    : `${error.slice(0, MAX_ERROR_LENGTH - 1).toWellFormed()}…`;
}
