import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRuleOverrides } from '#lib/http/schemas/rule-overrides.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRuleOverrides, {
    needs: requireDatabase,
    handle: async (context, { query }) => ({ body: await service.listRuleOverrides(context, context.user, query) }),
  }),
]);
