import { route, userEndpoint } from '#lib/http/route/route.ts';
import { previewFixes as operation } from '#lib/http/schemas/fixes.ts';
import { requireApp, requireDatabase } from '#lib/services/context.ts';
import { previewFixes } from '#lib/services/fixes/preview.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(operation, {
    needs: (env) => {
      requireDatabase(env);
      requireApp(env);
    },
    handle: async (context, { params: { repo_id: repoId }, body }) => ({
      body: await previewFixes(context, context.user.id, repoId, body),
    }),
  }),
]);
