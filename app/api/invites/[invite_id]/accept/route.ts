import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { acceptInvite } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(acceptInvite, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => ({
      body: await organizations.acceptInvite(adminDb(), user, params.invite_id),
    }),
  }),
]);
