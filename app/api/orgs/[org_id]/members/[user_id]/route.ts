import { route, userEndpoint } from '#lib/http/route/route.ts';
import { removeMember } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/organizations/organizations.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(removeMember, {
    needs: requireDatabase,
    handle: async (context, { params }) => {
      await service.removeMember(context, context.user, params.org_id, params.user_id);
      return { body: null };
    },
  }),
]);
