import { route, userEndpoint } from '#lib/http/route/route.ts';
import { deleteRuleOverride, putRuleOverride } from '#lib/http/schemas/rule-overrides.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/rules/rule-settings.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(putRuleOverride, {
    needs: requireDatabase,
    handle: async (context, { params, body }) => {
      const value = body.enabled ? 'enabled' : 'disabled';
      await service.setRepositoryRule(context, context.user, { repoId: params.repo_id, ruleId: params.rule_id, value });
      return { body: null };
    },
  }),
  userEndpoint(deleteRuleOverride, {
    needs: requireDatabase,
    handle: async (context, { params }) => {
      const change = { repoId: params.repo_id, ruleId: params.rule_id, value: 'inherit' } as const;
      await service.setRepositoryRule(context, context.user, change);
      return { body: null };
    },
  }),
]);
