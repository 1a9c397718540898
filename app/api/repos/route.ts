import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRepositories } from '#lib/http/schemas/repositories.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { refreshRepositories } from '#lib/services/repositories/refresh.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRepositories, {
    needs: requireDatabase,
    handle: async (context, { query }) => ({
      body: await refreshRepositories(context, context.user, query.org ?? null),
    }),
  }),
]);
