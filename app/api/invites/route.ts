import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listMyInvites } from '#lib/http/schemas/invites.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/invites.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listMyInvites, {
    needs: requireDatabase,
    handle: async (context) => ({ body: await service.listMyInvites(context, context.user) }),
  }),
]);
