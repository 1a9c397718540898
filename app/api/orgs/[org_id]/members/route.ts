import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listMembers } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listMembers, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params }) => ({
      body: { members: await organizations.listMembers(adminDb(), user.id, params.org_id) },
    }),
  }),
]);
