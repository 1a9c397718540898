import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createCampaign } from '#lib/http/schemas/campaigns.ts';
import * as service from '#lib/services/campaigns/campaigns.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(createCampaign, {
    needs: requireDatabase,
    handle: async (context, { query, body: { ruleset, repo_ids: repoIds } }) => ({
      body: await service.createCampaign(context, context.user, query.org, { ruleset, repoIds }),
    }),
  }),
]);
