import { route, userEndpoint } from '#lib/http/route/route.ts';
import { triageFinding, triageRequestOf } from '#lib/http/schemas/triage.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { triageFinding as triage } from '#lib/services/triage/set.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(triageFinding, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => ({
      body: await triage(context, context.user.id, triageRequestOf({ ...params, ...body })),
    }),
  }),
]);
