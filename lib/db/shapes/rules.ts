import { z } from 'zod';
import { Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const RuleSlug = z.string().meta({ description: 'A rule of the catalog, or one that it once had' });

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
  .meta({ description: '`inherit`: the level above decides' });

export type RulePreference = Shape<typeof RulePreference>;
export type RuleOverride = Shape<typeof RuleOverride>;
export type RuleValue = Shape<typeof RuleValue>;
