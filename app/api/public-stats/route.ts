import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { getPublicStats } from '#lib/http/schemas/public-stats.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { readPublicStats } from '#lib/services/public-scans/stats.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(getPublicStats, {
    needs: requireDatabase,
    handle: async (services) => ({
      body: await readPublicStats(services),
      headers: { 'cache-control': 'public, max-age=0, s-maxage=300' },
    }),
  }),
]);
