import { route, userEndpoint } from '#lib/http/route/route.ts';
import { renameOrg } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/organizations.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(renameOrg, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => ({
      body: await service.renameOrg(context, context.user, params.org_id, body.name),
    }),
  }),
]);
