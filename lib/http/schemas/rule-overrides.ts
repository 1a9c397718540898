import { z } from 'zod';
import { Uuid } from '#lib/db/shapes/common.ts';
import { RuleOverride, RulePreference, RuleValue } from '#lib/db/shapes/rules.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId } from './common.ts';
import { RuleSwitch } from './rule-settings.ts';
import { PathSlug, RuleId } from './rules.ts';

const MAX_CHANGES = 500;

const path = '/api/repositories/{repo_id}/rule-overrides/{rule_id}';
const params = z.object({ repo_id: PathId, rule_id: PathSlug });

export const listRepositoryOverrides = defineOperation({
  id: 'listRepositoryOverrides',
  verb: 'GET',
  path: '/api/repositories/{repo_id}/rule-overrides',
  summary: 'List the rule overrides of a repository',
  access: 'user',
  params: z.object({ repo_id: PathId }),
  reply: z.strictObject({ overrides: z.array(RulePreference) }).meta({ id: 'RepositoryOverrides' }),
  replyDescription: 'Sorted by rule. The organization decides about unlisted rules.',
  errors: ['not-found'],
});

export const putRuleOverride = defineOperation({
  id: 'putRuleOverride',
  verb: 'PUT',
  path,
  summary: 'Override a rule for a repository',
  access: 'user',
  params,
  body: RuleSwitch,
  reply: z.null(),
  replyDescription: 'The rule is overridden for this repository.',
  status: 204,
  errors: ['invalid-json', 'validation-failed', 'not-found'],
});

export const deleteRuleOverride = defineOperation({
  id: 'deleteRuleOverride',
  verb: 'DELETE',
  path,
  summary: 'Remove a rule override of a repository',
  access: 'user',
  params,
  reply: z.null(),
  replyDescription: 'The repository does not override the rule, whether or not it did before.',
  status: 204,
  errors: ['validation-failed', 'not-found'],
});

export const listRuleOverrides = defineOperation({
  id: 'listRuleOverrides',
  verb: 'GET',
  path: '/api/rule-overrides',
  summary: 'List the overrides of all repositories of an organization',
  access: 'user',
  query: OrgQuery.extend({ rule_id: RuleId.optional().meta({ description: 'Limits the list to this rule' }) }),
  reply: z.strictObject({ overrides: z.array(RuleOverride) }).meta({ id: 'RuleOverrides' }),
  replyDescription: 'Sorted by rule. Excludes the organization’s own settings.',
  errors: ['validation-failed', 'forbidden'],
});

const Change = z
  .strictObject({
    rule_id: RuleId,
    repository_id: Uuid.nullable().meta({ description: 'Null for the organization’s own setting' }),
    value: RuleValue,
  })
  .meta({ id: 'RuleChange' });

const Batch = z
  .strictObject({
    changes: z
      .array(Change)
      .min(1, `1 to ${MAX_CHANGES} changes`)
      .max(MAX_CHANGES, `1 to ${MAX_CHANGES} changes`)
      .superRefine((changes, context) => {
        const seen = new Set<string>();
        for (const [index, { rule_id, repository_id }] of changes.entries()) {
          const target = `${repository_id?.toLowerCase() ?? ''} ${rule_id}`;
          if (seen.has(target)) {
            context.addIssue({
              code: 'custom',
              path: [index],
              message: 'repeats the rule and repository of an earlier change',
            });
          }
          seen.add(target);
        }
      }),
  })
  .meta({ id: 'RuleChanges' });

export const applyRuleChanges = defineOperation({
  id: 'applyRuleChanges',
  verb: 'PUT',
  path: '/api/rule-overrides:batch',
  summary: 'Change many rules at once',
  description: 'Applies all changes or none.',
  access: 'user',
  query: OrgQuery,
  body: Batch,
  reply: z.strictObject({ applied: z.int() }).meta({ id: 'AppliedChanges' }),
  replyDescription: 'Number of changes.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found'],
});
