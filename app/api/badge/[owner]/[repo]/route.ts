import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { getBadge } from '#lib/http/schemas/badge.ts';
import { drawBadge } from '#lib/report/badge.ts';
import { readBadgeCounts } from '#lib/services/public-scans/badge.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(getBadge, {
    handle: async (services, { params: { owner, repo }, query }) => {
      const { counts, known } = await readBadgeCounts(services, { owner, name: repo.replace(/\.svg$/i, '') });
      return {
        body: drawBadge(counts, query),
        headers: {
          'cache-control': known ? 'public, max-age=14400, s-maxage=14400' : 'no-store',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        },
      };
    },
  }),
]);
