import { z } from 'zod';
import { Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const RuleSlug = z.string().meta({ description: 'Current or retired rule id' });

export const RulePreference = z
  .strictObject({ rule_id: RuleSlug, enabled: z.boolean(), updated_at: Timestamp })
  .meta({ id: 'RulePreference' });

export const RuleOverride = z.strictObject({
  repository_id: Uuid,
  rule_id: RuleSlug,
  enabled: z.boolean(),
  updated_at: Timestamp,
});

export const RuleValue = z
  .enum(['enabled', 'disabled', 'inherit'])
  .meta({ description: '`inherit` leaves the decision to the level above' });

export type RulePreference = Shape<typeof RulePreference>;
export type RuleOverride = Shape<typeof RuleOverride>;
export type RuleValue = Shape<typeof RuleValue>;
