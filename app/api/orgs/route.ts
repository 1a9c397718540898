import * as organizations from '#lib/db/queries/organizations.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createOrg, listOrgs } from '#lib/http/schemas/organizations.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listOrgs, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }) => ({
      body: { orgs: await organizations.list(adminDb(), user) },
    }),
  }),
  userEndpoint(createOrg, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { body }) => ({
      body: await organizations.create(adminDb(), user, body.name),
    }),
  }),
]);
