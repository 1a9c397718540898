import { route, userEndpoint } from '#lib/http/route/route.ts';
import { deleteRuleSetting, putRuleSetting } from '#lib/http/schemas/rule-settings.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(putRuleSetting, {
    needs: requireDatabase,
    handle: async (context, { params, query, body }) => {
      const change = { ruleId: params.rule_id, value: body.enabled ? 'enabled' : 'disabled' } as const;
      await service.setRule(context, context.user, query.org, change);
      return { body: null };
    },
  }),
  userEndpoint(deleteRuleSetting, {
    needs: requireDatabase,
    handle: async (context, { params, query }) => {
      await service.setRule(context, context.user, query.org, { ruleId: params.rule_id, value: 'inherit' });
      return { body: null };
    },
  }),
]);
