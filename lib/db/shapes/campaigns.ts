import { z } from 'zod';
import { Count, Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const CampaignRuleset = z.enum([
  'all',
  'owasp',
  'slsa',
  'slsa-build-l1',
  'slsa-build-l2',
  'slsa-build-l3',
  'slsa-source-l1',
  'slsa-source-l2',
  'slsa-source-l3',
  'slsa-source-l4',
]);

export const Campaign = z
  .strictObject({
    id: Uuid,
    org_id: Uuid,
    ruleset: CampaignRuleset,
    status: z.enum(['pending', 'running', 'completed']).meta({
      description: '`pending` until the first repository is claimed, `completed` once each has succeeded or failed',
    }),
    created_by: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Campaign' });

const Opened = Count.meta({ description: 'Files with a fix pull request, opened or reused' });

export const FixPullRequest = z
  .strictObject({
    file: z.string(),
    number: z.int().positive(),
    url: z.string(),
    state: z.enum(['open', 'closed', 'merged']),
    reused: z.boolean().meta({ description: 'True if it existed before this campaign' }),
  })
  .meta({ id: 'FixPullRequest' });

export const CampaignRepo = z
  .strictObject({
    repo_id: Uuid,
    full_name: z.string(),
    status: z.enum(['pending', 'running', 'succeeded', 'failed']),
    prs_opened: Opened,
    error: z.string().nullable().meta({ description: 'If succeeded, the remediation is partial' }),
    pull_requests: z.array(FixPullRequest),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'CampaignRepo' });

export const CampaignRollup = z
  .strictObject({
    total: Count,
    pending: Count,
    running: Count,
    succeeded: Count.meta({ description: 'Without partial ones' }),
    partial: Count,
    failed: Count,
    prs_opened: Opened,
    prs_merged: Count.meta({ description: 'Files whose fix was merged' }),
    prs_verified: Count.optional().meta({
      description: 'Files whose merged fix a scan confirmed; absent if merges are not recorded (`pr_webhooks`)',
    }),
  })
  .meta({ id: 'CampaignRollup' });

export const CampaignView = z
  .strictObject({ campaign: Campaign, repos: z.array(CampaignRepo), rollup: CampaignRollup })
  .meta({ id: 'CampaignView' });

export const RefreshedFixes = z
  .strictObject({
    checked: Count.meta({ description: 'Pull requests without a recorded outcome' }),
    refreshed: Count.meta({ description: 'The code host’s answer is stored' }),
    failed: Count.meta({ description: 'The code host did not answer; the next run retries' }),
  })
  .meta({ id: 'RefreshedFixes' });

export type CampaignRuleset = Shape<typeof CampaignRuleset>;
export type FixPullRequest = Shape<typeof FixPullRequest>;
export type CampaignRepo = Shape<typeof CampaignRepo>;
export type CampaignView = Shape<typeof CampaignView>;
export type RefreshedFixes = Shape<typeof RefreshedFixes>;
