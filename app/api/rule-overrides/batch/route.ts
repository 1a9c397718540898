import { route, userEndpoint } from '#lib/http/route/route.ts';
import { applyRuleChanges } from '#lib/http/schemas/rule-overrides.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(applyRuleChanges, {
    needs: requireDatabase,
    handle: async (context, { query, body }) => ({
      body: await service.applyRuleChanges(context, context.user, query.org, body.changes),
    }),
  }),
]);
