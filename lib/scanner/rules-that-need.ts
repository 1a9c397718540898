import type { Need, Rule } from './engine/rule.ts';
import { isInRuleset, type Ruleset } from './engine/rulesets.ts';
import { rules } from './rules/index.ts';

/** Returns the rules of a ruleset that need a source of facts. When there are none, the source is not queried. */
export function rulesThatNeed(need: Need, ruleset: Ruleset): readonly Rule[] {
  return rules.filter((rule) => rule.meta.needs?.includes(need) === true && isInRuleset(rule, ruleset));
}
