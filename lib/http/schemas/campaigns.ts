import { z } from 'zod';
import { CampaignRuleset, CampaignView } from '#lib/db/shapes/campaigns.ts';
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
