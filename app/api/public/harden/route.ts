import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { hardenWorkflow as operation } from '#lib/http/schemas/harden.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { hardenWorkflow } from '#lib/services/hardening/harden.ts';

export const maxDuration = 30;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(operation, {
    needs: requireDatabase,
    budget: 'public-scan',
    handle: async (services, { body }) => ({ body: await hardenWorkflow(services, body) }),
  }),
]);
