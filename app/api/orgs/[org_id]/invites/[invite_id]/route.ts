import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { revokeInvite } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(revokeInvite, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => {
      await organizations.revokeInvite(adminDb(), user.id, params.org_id, params.invite_id);
      return { body: null };
    },
  }),
]);
