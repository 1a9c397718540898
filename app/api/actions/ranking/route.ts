import { route, userEndpoint } from '#lib/http/route/route.ts';
import { rankActions } from '#lib/http/schemas/actions.ts';
import * as service from '#lib/services/actions/read.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(rankActions, {
    needs: requireDatabase,
    handle: async (context, { query }) => ({ body: await service.rankActions(context, context.user, query) }),
  }),
]);
