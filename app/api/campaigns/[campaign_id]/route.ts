import { route, userEndpoint } from '#lib/http/route/route.ts';
import { getCampaign } from '#lib/http/schemas/campaigns.ts';
import { readCampaign } from '#lib/services/campaigns/campaigns.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(getCampaign, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({ body: await readCampaign(context, context.user.id, params.campaign_id) }),
  }),
]);
