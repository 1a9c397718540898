import type { Rule } from './rule.ts';

/** What a rule's meta may name. A SLSA level is named where the requirement first stands; higher levels include it. */
export type RulesetLevel =
  | 'owasp'
  | 'slsa-build-l1'
  | 'slsa-build-l2'
  | 'slsa-build-l3'
  | 'slsa-source-l1'
  | 'slsa-source-l2'
  | 'slsa-source-l3'
  | 'slsa-source-l4';

export type Ruleset = 'all' | 'slsa' | RulesetLevel;

export const RULESETS: readonly Ruleset[] = [
  'all',
  'owasp',
  'slsa',
  'slsa-build-l1',
  'slsa-build-l2',
  'slsa-build-l3',
  'slsa-source-l1',
  'slsa-source-l2',
  'slsa-source-l3',
  'slsa-source-l4',
];

/** The levels of each SLSA track, lowest first: https://slsa.dev/spec/v1.2/ */
const TRACKS: readonly (readonly RulesetLevel[])[] = [
  ['slsa-build-l1', 'slsa-build-l2', 'slsa-build-l3'],
  ['slsa-source-l1', 'slsa-source-l2', 'slsa-source-l3', 'slsa-source-l4'],
];

/** Whether a rule belongs to a ruleset. Levels are cumulative within a track; `slsa` is the highest of both tracks. */
export function isInRuleset(rule: Rule, ruleset: Ruleset): boolean {
  if (ruleset === 'all') return true;
  const { rulesets } = rule.meta;
  if (ruleset === 'owasp') return rulesets.includes('owasp');
  if (ruleset === 'slsa') return rulesets.some((level) => level.startsWith('slsa-'));
  const track = TRACKS.find((levels) => levels.includes(ruleset)) ?? [];
  return track.slice(0, track.indexOf(ruleset) + 1).some((level) => rulesets.includes(level));
}
