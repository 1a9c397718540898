import { route, userEndpoint } from '#lib/http/route/route.ts';
import { acceptInvite } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/invites.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(acceptInvite, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({
      body: await service.acceptInvite(context, context.user, params.invite_id),
    }),
  }),
]);
