import { route, userEndpoint } from '#lib/http/route/route.ts';
import { remediateRepository } from '#lib/http/schemas/campaigns.ts';
import { remediateRow } from '#lib/services/campaigns/remediate.ts';
import { requireApp, requireDatabase } from '#lib/services/context.ts';

export const maxDuration = 300;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(remediateRepository, {
    needs: (env) => {
      requireDatabase(env);
      requireApp(env);
    },
    handle: async (context, { query, params: { campaign_id: campaignId, repo_id: repoId } }) => ({
      body: await remediateRow(context, context.user, query.org, { campaignId, repoId }),
    }),
  }),
]);
