import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { createPublicScan } from '#lib/http/schemas/public-scan.ts';
import { requireDatabase, requirePublicToken } from '#lib/services/context.ts';
import { scanPublicRepository } from '#lib/services/public-scans/scan.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(createPublicScan, {
    needs: (env) => {
      requirePublicToken(env);
      requireDatabase(env);
    },
    budget: 'public-scan',
    handle: async (services, { body }) => ({ body: await scanPublicRepository(services, body.repo) }),
  }),
]);
