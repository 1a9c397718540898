import { z } from 'zod';
import { RulePreference } from '#lib/db/shapes/rules.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery } from './common.ts';
import { PathSlug } from './rules.ts';

export const RuleSwitch = z.strictObject({ enabled: z.boolean() }).meta({ id: 'RuleSwitch' });

const path = '/api/rule-settings/{rule_id}';
const params = z.object({ rule_id: PathSlug });

export const listRuleSettings = defineOperation({
  id: 'listRuleSettings',
  verb: 'GET',
  path: '/api/rule-settings',
  summary: 'List the rule settings of an organization',
  access: 'user',
  query: OrgQuery,
  reply: z.strictObject({ settings: z.array(RulePreference) }).meta({ id: 'RuleSettings' }),
  replyDescription: 'Sorted by rule. Unlisted rules are on.',
  errors: ['validation-failed', 'forbidden'],
});

export const putRuleSetting = defineOperation({
  id: 'putRuleSetting',
  verb: 'PUT',
  path,
  summary: 'Set a rule for an organization',
  description: 'For members. Overrides of repositories stay.',
  access: 'user',
  params,
  query: OrgQuery,
  body: RuleSwitch,
  reply: z.null(),
  replyDescription: 'The rule is set.',
  status: 204,
  errors: ['invalid-json', 'validation-failed', 'forbidden'],
});

export const deleteRuleSetting = defineOperation({
  id: 'deleteRuleSetting',
  verb: 'DELETE',
  path,
  summary: 'Reset a rule to the default (on)',
  description: 'For members. Accepts retired rules as well.',
  access: 'user',
  params,
  query: OrgQuery,
  reply: z.null(),
  replyDescription: 'The organization has no setting for the rule, whether or not it had one before.',
  status: 204,
  errors: ['validation-failed', 'forbidden'],
});
