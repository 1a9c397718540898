import { call, callAgain } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { CampaignRepo, CampaignRuleset, CampaignView } from '../shapes/campaigns.ts';

export interface NewCampaign {
  readonly orgId: string;
  readonly ruleset: CampaignRuleset;
  readonly repoIds: readonly string[];
}

export interface RowKey {
  readonly campaignId: string;
  readonly repoId: string;
}

/** A claimed row. A later claim has a higher attempt. */
export interface HeldRow extends RowKey {
  readonly attempt: number;
}

export interface Claim {
  readonly attempt: number;
  readonly ruleset: CampaignRuleset;
  /** Null if the repository left the installation. */
  readonly target: RemediationTarget | null;
}

export interface RemediationTarget {
  readonly repo_id: string;
  readonly installation_id: string;
  readonly scm_id: string;
  readonly full_name: string;
  readonly disabled_rules: readonly string[];
  readonly triaged: readonly string[];
}

export interface OpenedPullRequest {
  readonly file: string;
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly rule_ids: readonly string[];
  readonly fingerprints: readonly string[];
  readonly reused: boolean;
  readonly opened_at: string;
}

/** Creates a campaign for those repositories that the organization has. Throws `validation-failed` if it has none. */
export async function create(
  db: AdminDb,
  userId: string,
  { orgId, ruleset, repoIds }: NewCampaign,
): Promise<CampaignView> {
  return call(db, 'create_campaign', {
    p_user_id: userId,
    p_org_id: orgId,
    p_ruleset: ruleset,
    p_repo_ids: JSON.stringify(repoIds),
  });
}

export async function get(db: AdminDb, userId: string, campaignId: string): Promise<CampaignView> {
  return call(db, 'get_campaign', { p_user_id: userId, p_campaign_id: campaignId });
}

/** Claims a row for one caller. Throws `already-running` or `already-finished` if there is nothing to claim. */
export async function claim(
  db: AdminDb,
  userId: string,
  orgId: string | null,
  row: RowKey,
  staleSeconds: number,
): Promise<Claim> {
  return call(db, 'claim_remediation', {
    p_user_id: userId,
    p_org_id: orgId,
    p_campaign_id: row.campaignId,
    p_repo_id: row.repoId,
    p_stale_seconds: staleSeconds,
  });
}

/** Stores open pull requests of a held row. Throws `already-running` if another call took over. */
export async function recordPullRequests(
  db: AdminDb,
  row: HeldRow,
  pullRequests: readonly OpenedPullRequest[],
): Promise<void> {
  await callAgain(db, 'record_fix_pull_requests', {
    p_campaign_id: row.campaignId,
    p_repo_id: row.repoId,
    p_attempt: row.attempt,
    p_pull_requests: JSON.stringify(pullRequests),
  });
}

/** Ends an attempt. Throws `already-running` if another call took over. */
export async function finish(
  db: AdminDb,
  row: HeldRow,
  status: 'succeeded' | 'failed',
  error: string | null,
): Promise<CampaignRepo> {
  return callAgain(db, 'finish_remediation', {
    p_campaign_id: row.campaignId,
    p_repo_id: row.repoId,
    p_attempt: row.attempt,
    p_status: status,
    p_error: error,
  });
}
