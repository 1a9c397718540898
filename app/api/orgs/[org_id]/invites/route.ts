import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createInvite, listInvites } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listInvites, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => ({
      body: { invites: await organizations.listInvites(adminDb(), user.id, params.org_id) },
    }),
  }),
  userEndpoint(createInvite, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params, body }) => ({
      body: await organizations.createInvite(adminDb(), user.id, { orgId: params.org_id, ...body }),
    }),
  }),
]);
