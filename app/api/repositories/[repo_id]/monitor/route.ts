import { route, userEndpoint } from '#lib/http/route/route.ts';
import { setMonitored } from '#lib/http/schemas/repositories.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { monitorRepository } from '#lib/services/repositories/monitor.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(setMonitored, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => ({
      body: { monitored: await monitorRepository(context, context.user.id, params.repo_id, body.monitored) },
    }),
  }),
]);
