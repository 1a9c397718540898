import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createOrg, listOrgs } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/organizations.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listOrgs, {
    needs: requireDatabase,
    handle: async (context) => ({ body: await service.listOrgs(context, context.user) }),
  }),
  userEndpoint(createOrg, {
    needs: requireDatabase,
    handle: async (context, { body }) => ({ body: await service.createOrg(context, context.user, body.name) }),
  }),
]);
