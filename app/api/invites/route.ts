import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listMyInvites } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listMyInvites, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }) => ({
      body: { invites: await organizations.listInvitesTo(adminDb(), user.email) },
    }),
  }),
]);
