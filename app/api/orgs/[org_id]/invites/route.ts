import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createInvite, listInvites } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/invites.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listInvites, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({ body: await service.listInvites(context, context.user, params.org_id) }),
  }),
  userEndpoint(createInvite, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => ({
      body: await service.createInvite(context, context.user, { orgId: params.org_id, ...body }),
    }),
  }),
]);
