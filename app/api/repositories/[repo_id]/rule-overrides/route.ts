import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRepositoryOverrides } from '#lib/http/schemas/rule-overrides.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRepositoryOverrides, {
    needs: requireDatabase,
    handle: async (context, { params }) => ({
      body: await service.listRepositoryOverrides(context, context.user, params.repo_id),
    }),
  }),
]);
