import { rules } from '../rules/index.ts';
import type { Need, Rule } from './rule.ts';
import { isInRuleset, type Ruleset } from './rulesets.ts';

/** The rules of a ruleset that cannot be assessed without a source: when there are none, nobody has to be asked. */
export function rulesThatNeed(need: Need, ruleset: Ruleset): readonly Rule[] {
  return rules.filter((rule) => rule.meta.needs?.includes(need) === true && isInRuleset(rule, ruleset));
}
