import type { SlsaLevel } from '#lib/scanner/engine/rulesets.ts';
import type { RequirementEvidence, SlsaAssessment, Standing } from '#lib/scanner/engine/slsa.ts';
import { pathOf, type Rooted } from './report.ts';

const MAX_PLACES = 3;

export const STANDINGS: Readonly<Record<Standing, string>> = {
  refuted: 'refuted',
  supported: 'supported',
  not_assessable: 'not assessable',
};

export const SLSA_NOTE = '“Supported” means that its rules found nothing against it. This certifies no level.';

export function levelName(level: SlsaLevel): string {
  const [, track = '', number = ''] = /^slsa-(build|source)-l(\d)$/.exec(level) ?? [];
  return `${track === 'build' ? 'Build' : 'Source'} L${number}`;
}

export function slsaTitle({ track, root }: Rooted<SlsaAssessment>): string {
  const name = `SLSA ${track === 'build' ? 'Build' : 'Source'} track`;
  return root === '.' ? name : `${name} of ${root}`;
}

export function ceilingText({ track, ceiling, levels }: SlsaAssessment): string {
  const first = levels.findIndex(({ refuted }) => refuted);
  const refuted = levels[first];
  if (refuted === undefined) {
    return ceiling === null ? 'Not assessable here.' : `No evidence against ${levelName(ceiling)}.`;
  }
  const below = levels[first - 1];
  const highest = below === undefined ? `${track === 'build' ? 'Build' : 'Source'} L0` : levelName(below.level);
  return `At most ${highest}: ${levelName(refuted.level)} is refuted.`;
}

export function placesOf({ findings }: RequirementEvidence, root: string): string[] {
  const places = findings
    .slice(0, MAX_PLACES)
    .map(({ ruleId, file, line }) => `${ruleId} ${pathOf({ root, file })}${line === null ? '' : `:${line}`}`);
  const rest = findings.length - places.length;
  return rest > 0 ? [...places, `and ${rest} more`] : places;
}

export function slsaJson({ root, track, ceiling, levels }: Rooted<SlsaAssessment>): Record<string, unknown> {
  return {
    root,
    track,
    ceiling,
    levels: levels.map(({ level, refuted, requirements }) => ({
      level,
      refuted,
      requirements: requirements.map(({ id, title, standing, findings, reason }) => ({
        id,
        title,
        standing,
        reason,
        evidence: findings.map(({ ruleId, file, line, fingerprint }) => ({ rule_id: ruleId, file, line, fingerprint })),
      })),
    })),
  };
}
