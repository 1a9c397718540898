import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { requestAction } from '#lib/http/schemas/actions.ts';
import * as service from '#lib/services/actions/request.ts';
import { requireDatabase, requirePublicToken } from '#lib/services/context.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(requestAction, {
    needs: (env) => {
      requireDatabase(env);
      requirePublicToken(env);
    },
    budget: 'action-request',
    handle: async (services, { params }) => {
      const scored = await service.requestAction(services, params);
      return scored === null ? { also: { status: 'pending' } } : { body: scored };
    },
  }),
]);
