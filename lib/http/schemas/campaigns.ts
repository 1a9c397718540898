import { z } from 'zod';
import { CampaignRepo, CampaignRuleset, CampaignView } from '#lib/db/shapes/campaigns.ts';
import { Uuid } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId } from './common.ts';

const MAX_REPOSITORIES = 500;
const SIZE = `1 to ${MAX_REPOSITORIES} repositories`;

const NewCampaign = z
  .strictObject({
    ruleset: CampaignRuleset.meta({ description: 'Decides which rules are fixed' }),
    repo_ids: z.array(Uuid).min(1, SIZE).max(MAX_REPOSITORIES, SIZE),
  })
  .meta({ id: 'NewCampaign' });

export const createCampaign = defineOperation({
  id: 'createCampaign',
  verb: 'POST',
  path: '/api/campaigns',
  summary: 'Create a campaign',
  description:
    'For admins. Repositories outside the organization are skipped; if none is left, nothing is stored. Remediate the repositories one by one afterwards.',
  access: 'user',
  query: OrgQuery,
  body: NewCampaign,
  reply: CampaignView,
  replyDescription: 'The campaign; each repository is `pending`.',
  status: 201,
  errors: ['invalid-json', 'validation-failed', 'forbidden'],
});

const CampaignPath = z.object({ campaign_id: PathId });

export const getCampaign = defineOperation({
  id: 'getCampaign',
  verb: 'GET',
  path: '/api/campaigns/{campaign_id}',
  summary: 'Get a campaign',
  description: 'For members of the campaign’s organization.',
  access: 'user',
  params: CampaignPath,
  reply: CampaignView,
  replyDescription: 'The campaign, its repositories by name, and totals. The five states add up to `total`.',
  errors: ['not-found'],
});

const Skipped = z.strictObject({ file: z.string(), reason: z.string() });

export const remediateRepository = defineOperation({
  id: 'remediateRepository',
  verb: 'POST',
  path: '/api/campaigns/{campaign_id}/repos/{repo_id}/remediate',
  summary: 'Open the fix pull requests of a repository',
  description:
    'For admins. Scans the head of the default branch in memory and opens one pull request for each file that has a safe fix; open ones of an earlier run are reused. A failed repository can be retried, and one that has been running for 15 minutes. Failures of the code host are reported in `error`, with status 200.',
  access: 'user',
  params: CampaignPath.extend({ repo_id: PathId }),
  query: OrgQuery,
  reply: CampaignRepo.pick({ status: true, prs_opened: true, error: true, pull_requests: true })
    .extend({
      status: z.enum(['succeeded', 'failed']),
      skipped: z.array(Skipped).meta({ description: 'Files without a pull request, and why' }),
    })
    .meta({ id: 'Remediation' }),
  replyDescription: 'How it ended. With `error`, a `succeeded` remediation is partial.',
  errors: ['validation-failed', 'forbidden', 'not-found', 'already-running', 'already-finished', 'not-configured'],
});

export type Remediation = z.output<(typeof remediateRepository)['reply']>;
