import type { Need, Rule } from './engine/rule.ts';
import { isInRuleset, type Ruleset } from './engine/rulesets.ts';
import { rules } from './rules/index.ts';

export function rulesThatNeed(need: Need, ruleset: Ruleset): readonly Rule[] {
  return rules.filter((rule) => rule.meta.needs?.includes(need) === true && isInRuleset(rule, ruleset));
}
