/** SLSA levels are named where the requirement first appears; higher levels include it. */
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

export type SlsaLevel = Exclude<RulesetLevel, 'owasp'>;
export type SlsaTrack = 'build' | 'source';

const TRACKS: Readonly<Record<SlsaTrack, readonly SlsaLevel[]>> = {
  build: ['slsa-build-l1', 'slsa-build-l2', 'slsa-build-l3'],
  source: ['slsa-source-l1', 'slsa-source-l2', 'slsa-source-l3', 'slsa-source-l4'],
};

export function slsaLevels(ruleset: Ruleset): { readonly track: SlsaTrack; readonly levels: readonly SlsaLevel[] }[] {
  if (ruleset === 'all' || ruleset === 'owasp') return [];
  return (['build', 'source'] as const).flatMap((track) => {
    const last = ruleset === 'slsa' ? TRACKS[track].length - 1 : TRACKS[track].indexOf(ruleset);
    return last === -1 ? [] : [{ track, levels: TRACKS[track].slice(0, last + 1) }];
  });
}

/** True if a rule belongs to a ruleset. Levels include lower ones; `slsa` means the highest of both tracks. */
export function isInRuleset(
  { meta: { rulesets } }: { readonly meta: { readonly rulesets: readonly RulesetLevel[] } },
  ruleset: Ruleset,
): boolean {
  if (ruleset === 'all') return true;
  if (ruleset === 'owasp') return rulesets.includes('owasp');
  return slsaLevels(ruleset).some(({ levels }) => levels.some((level) => rulesets.includes(level)));
}
