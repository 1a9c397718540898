import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { listActions } from '#lib/http/schemas/actions.ts';
import * as service from '#lib/services/actions/read.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(listActions, {
    needs: requireDatabase,
    handle: async (services, { query }) => ({
      body: await service.listActions(services, query),
      headers: { 'cache-control': 'public, max-age=0, s-maxage=300' },
    }),
  }),
]);
