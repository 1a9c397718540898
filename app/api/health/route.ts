import { publicEndpoint, route } from '#lib/http/route/route.ts';
import { getHealth } from '#lib/http/schemas/service.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  publicEndpoint(getHealth, { handle: () => ({ body: { status: 'ok' as const } }) }),
]);
