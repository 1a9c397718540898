import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listRuleSettings } from '#lib/http/schemas/rule-settings.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listRuleSettings, {
    needs: requireDatabase,
    handle: async (context, { query }) => ({ body: await service.listRuleSettings(context, context.user, query.org) }),
  }),
]);
