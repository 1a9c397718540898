import { route, userEndpoint } from '#lib/http/route/route.ts';
import { getPrGate, putPrGate } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/organizations.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(getPrGate, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({ body: await service.getPrGate(context, context.user, params.org_id) }),
  }),
  userEndpoint(putPrGate, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => ({
      body: await service.putPrGate(context, context.user, params.org_id, body),
    }),
  }),
]);
