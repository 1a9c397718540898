import * as repositories from '#lib/db/queries/repositories.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { setMonitored } from '#lib/http/schemas/repositories.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(setMonitored, {
    needs: requireDatabase,
    handle: async ({ adminDb, user }, { params, body }) => ({
      body: { monitored: await repositories.setMonitored(adminDb(), user.id, params.repo_id, body.monitored) },
    }),
  }),
]);
