import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { getAction } from '#lib/http/schemas/actions.ts';
import { readAction } from '#lib/services/actions/read.ts';
import { requireDatabase } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(getAction, {
    needs: requireDatabase,
    handle: async (services, { params: { owner, name } }) => {
      const body = await readAction(services, owner, name);
      const cached = body.status === 'scored' ? 'public, max-age=300, s-maxage=300' : 'no-store';
      return { body, headers: { 'cache-control': cached } };
    },
  }),
]);
