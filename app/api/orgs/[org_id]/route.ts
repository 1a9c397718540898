import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { renameOrg } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(renameOrg, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params, body }) => ({
      body: await organizations.rename(adminDb(), user.id, params.org_id, body.name),
    }),
  }),
]);
