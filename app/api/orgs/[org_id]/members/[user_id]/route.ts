import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { removeMember } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(removeMember, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => {
      await organizations.removeMember(adminDb(), user.id, params.org_id, params.user_id);
      return { body: null };
    },
  }),
]);
