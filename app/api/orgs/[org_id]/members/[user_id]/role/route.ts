import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { setMemberRole } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(setMemberRole, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params, body }) => {
      const member = { orgId: params.org_id, userId: params.user_id, role: body.role };
      return { body: await organizations.setMemberRole(adminDb(), user.id, member) };
    },
  }),
]);
