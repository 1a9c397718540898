import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { getPrGate, putPrGate } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(getPrGate, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => ({
      body: await organizations.getPrGate(adminDb(), user.id, params.org_id),
    }),
  }),
  userEndpoint(putPrGate, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params, body }) => ({
      body: await organizations.putPrGate(adminDb(), user.id, params.org_id, body),
    }),
  }),
]);
