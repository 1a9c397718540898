import { route, userEndpoint } from '#lib/http/route/route.ts';
import { revokeInvite } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/invites.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(revokeInvite, {
    needs: requireDatabase,
    handle: async (context, { params }) => {
      await service.revokeInvite(context, context.user, params.org_id, params.invite_id);
      return { body: null };
    },
  }),
]);
