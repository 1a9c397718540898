import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRules } from '#lib/http/schemas/rules.ts';
import { listRules as readRules } from '#lib/services/rules/catalog.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRules, { handle: () => ({ body: { rules: readRules() } }) }),
]);
