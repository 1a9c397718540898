import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRepositoryCombos } from '#lib/http/schemas/attack-paths.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { listRepositoryPaths } from '#lib/services/paths/list.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRepositoryCombos, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({ body: await listRepositoryPaths(context, context.user, params.repo_id) }),
  }),
]);
