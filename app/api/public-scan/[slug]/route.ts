import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { getPublicScan } from '#lib/http/schemas/public-scan.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { replayPublicScan } from '#lib/services/public-scans/scan.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(getPublicScan, {
    needs: requireDatabase,
    handle: async (services, { params }) => ({
      body: await replayPublicScan(services, params.slug),
      headers: { 'cache-control': 'public, max-age=3600, immutable' },
    }),
  }),
]);
