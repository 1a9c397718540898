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
  summary: 'The rules that an organization switched',
  access: 'user',
  query: OrgQuery,
  reply: z.strictObject({ settings: z.array(RulePreference) }).meta({ id: 'RuleSettings' }),
  replyDescription: 'By rule. A rule that is not in the list is on.',
  errors: ['validation-failed', 'forbidden'],
});

export const putRuleSetting = defineOperation({
  id: 'putRuleSetting',
  verb: 'PUT',
  path,
  summary: 'Switch a rule for an organization',
  description: 'For members. A repository with an override of its own stays as it is.',
  access: 'user',
  params,
  query: OrgQuery,
  body: RuleSwitch,
  reply: z.null(),
  replyDescription: 'The rule is switched.',
  status: 204,
  errors: ['invalid-json', 'validation-failed', 'forbidden'],
});

export const deleteRuleSetting = defineOperation({
  id: 'deleteRuleSetting',
  verb: 'DELETE',
  path,
  summary: 'Leave a rule as the catalog has it: on',
  description: 'For members. Takes any rule, also one that the catalog no longer has.',
  access: 'user',
  params,
  query: OrgQuery,
  reply: z.null(),
  replyDescription: 'The organization does not switch the rule, whether or not it did before.',
  status: 204,
  errors: ['validation-failed', 'forbidden'],
});
