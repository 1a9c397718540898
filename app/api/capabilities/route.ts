import { route, userEndpoint } from '#lib/http/route/route.ts';
import { getCapabilities } from '#lib/http/schemas/service.ts';
import { readCapabilities } from '#lib/services/pages/capabilities.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(getCapabilities, { handle: async (services) => ({ body: await readCapabilities(services) }) }),
]);
