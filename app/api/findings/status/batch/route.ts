import { route, userEndpoint } from '#lib/http/route/route.ts';
import { triageFindings, triageRequestOf } from '#lib/http/schemas/triage.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { triageFindings as triage } from '#lib/services/triage/set.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(triageFindings, {
    needs: requireDatabase,
    handle: async (context, { query, body }) => ({
      body: await triage(context, context.user, query.org, body.changes.map(triageRequestOf)),
    }),
  }),
]);
