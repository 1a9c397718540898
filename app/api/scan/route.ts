import { route, userEndpoint } from '#lib/http/route/route.ts';
import { createScan } from '#lib/http/schemas/repositories.ts';
import { requireApp, requireDatabase } from '#lib/services/context.ts';
import { scanOwnedRepository } from '#lib/services/scans/scan-repository.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(createScan, {
    needs: (env) => {
      requireDatabase(env);
      requireApp(env);
    },
    handle: async (context, { body: { repo_id: repoId, ruleset } }) => {
      const { new_high: _, ...scan } = await scanOwnedRepository(context, context.user.id, { repoId, ruleset });
      return { body: scan };
    },
  }),
]);
