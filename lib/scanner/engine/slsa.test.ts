import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { rules } from '../rules/index.ts';
import { scanRepository } from '../scan.ts';
import type { Rule } from './rule.ts';
import { isInRuleset, RULESETS, type Ruleset, slsaLevels } from './rulesets.ts';
import type { ScanResult } from './scan.ts';
import type { RequirementEvidence, SlsaAssessment } from './slsa.ts';

const RELEASE = '.github/workflows/release.yml';

function scan(text: string, ruleset: Ruleset, catalog: readonly Rule[] = rules): ScanResult {
  return scanRepository(createRepository([{ path: RELEASE, text }]), { ruleset, rules: catalog });
}

function track(result: ScanResult, name: 'build' | 'source'): SlsaAssessment {
  const found = result.slsa.find((assessment) => assessment.track === name);
  if (found === undefined) throw new Error(`no ${name} track`);
  return found;
}

function requirement(assessment: SlsaAssessment, id: string): RequirementEvidence | undefined {
  return assessment.levels.flatMap(({ requirements }) => requirements).find((each) => each.id === id);
}

const UNSIGNED = `
on: { push: { tags: [v*] } }
jobs:
  release:
    runs-on: ubuntu-latest
    permissions: { contents: write }
    steps:
      - run: make dist
      - run: gh release create v1 dist/tool.tgz
`;

const SIGNED = `
on: { push: { tags: [v*] } }
jobs:
  build:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    steps:
      - run: make dist
      - uses: actions/upload-artifact@v4
        with: { path: dist }
  release:
    needs: build
    runs-on: ubuntu-latest
    permissions: { contents: write, id-token: write, attestations: write }
    steps:
      - uses: actions/download-artifact@v5
      - uses: actions/attest@v4
        with: { subject-path: dist/tool.tgz }
      - run: gh release create v1 dist/tool.tgz
`;

describe('rulesets of SLSA levels', () => {
  it('hold every level below, within a track', () => {
    for (const ruleset of RULESETS) {
      for (const { levels } of slsaLevels(ruleset)) {
        const last = levels.at(-1);
        for (const level of levels) {
          const lower = rules.filter((rule) => isInRuleset(rule, level));
          expect(lower.filter((rule) => last !== undefined && !isInRuleset(rule, last))).toEqual([]);
        }
      }
    }
  });

  it('make up the ruleset of both tracks', () => {
    for (const rule of rules) {
      const either = isInRuleset(rule, 'slsa-build-l3') || isInRuleset(rule, 'slsa-source-l4');
      expect(isInRuleset(rule, 'slsa')).toBe(either);
    }
  });
});

describe('evidence for SLSA levels', () => {
  it('exists only for the levels of the requested ruleset', () => {
    expect(scan(SIGNED, 'all').slsa).toEqual([]);
    expect(scan(SIGNED, 'owasp').slsa).toEqual([]);
    const levels = (ruleset: Ruleset): string[] =>
      scan(SIGNED, ruleset).slsa.flatMap((assessment) => assessment.levels.map(({ level }) => level));
    expect(levels('slsa-build-l2')).toEqual(['slsa-build-l1', 'slsa-build-l2']);
    expect(levels('slsa-source-l1')).toEqual(['slsa-source-l1']);
    expect(levels('slsa')).toEqual([
      'slsa-build-l1',
      'slsa-build-l2',
      'slsa-build-l3',
      'slsa-source-l1',
      'slsa-source-l2',
      'slsa-source-l3',
      'slsa-source-l4',
    ]);
  });

  it('refutes a level and all above it, and lists the finding', () => {
    const build = track(scan(UNSIGNED, 'slsa'), 'build');
    expect(build.ceiling).toBeNull();
    expect(build.levels.map(({ refuted }) => refuted)).toEqual([true, true, true]);
    const refuted = requirement(build, 'provenance-exists');
    expect(refuted?.standing).toBe('refuted');
    expect(refuted?.findings.map(({ ruleId, line }) => [ruleId, line])).toEqual([['missing-provenance', 9]]);
  });

  it('supports what was checked, and leaves open what cannot be assessed', () => {
    const build = track(scan(SIGNED, 'slsa'), 'build');
    expect(build.ceiling).toBe('slsa-build-l3');
    expect(requirement(build, 'provenance-exists')?.standing).toBe('supported');
    expect(requirement(build, 'provenance-unforgeable')?.standing).toBe('supported');
    expect(requirement(build, 'platform')).toMatchObject({
      standing: 'not_assessable',
      reason: 'it is for an audit of the platform',
    });
  });

  it('ends below the level at which the build can reach the signer', () => {
    const oneJob = SIGNED.replace('      - uses: actions/download-artifact@v5', '      - run: make dist');
    const build = track(scan(oneJob, 'slsa-build-l3'), 'build');
    expect(build.ceiling).toBe('slsa-build-l2');
    expect(requirement(build, 'provenance-unforgeable')?.standing).toBe('refuted');
    expect(requirement(build, 'isolated')?.standing).toBe('supported');
  });

  it('considers only the jobs of a release', () => {
    const other = `${SIGNED}  test:\n    runs-on: [self-hosted]\n    steps:\n      - run: make test\n`;
    expect(requirement(track(scan(other, 'slsa'), 'build'), 'hosted')?.standing).toBe('supported');
    const own = SIGNED.replace('runs-on: ubuntu-latest', 'runs-on: [self-hosted]');
    expect(requirement(track(scan(own, 'slsa'), 'build'), 'hosted')?.standing).toBe('refuted');
  });

  it('ignores builds without a release', () => {
    const text = 'on: push\njobs:\n  test:\n    runs-on: [self-hosted]\n    steps: [{ run: make }]\n';
    const build = track(scan(text, 'slsa'), 'build');
    const standings = build.levels.flatMap(({ requirements }) => requirements.map(({ standing }) => standing));
    expect(new Set(standings)).toEqual(new Set(['not_assessable']));
  });

  it('ignores suppressed findings and unassessed rules', () => {
    const ignored = UNSIGNED.replace('v1 dist', 'v1 \\\n          dist').replace(
      '      - run: gh',
      '      # chainbreak: ignore[missing-provenance] signed elsewhere\n      - run: gh',
    );
    const result = scan(ignored, 'slsa-build-l1');
    expect(result.suppressed.length).toBe(1);
    expect(requirement(track(result, 'build'), 'provenance-exists')?.standing).toBe('supported');
    const source = track(scan(SIGNED, 'slsa'), 'source');
    expect(requirement(source, 'two-party-review')).toMatchObject({
      standing: 'not_assessable',
      reason: 'the code host or another source was not asked',
    });
  });

  it('counts a rule that no requirement names', () => {
    const template = rules.find(({ id }) => id === 'missing-provenance');
    if (template === undefined) throw new Error('no rule');
    const unnamed: Rule = { ...template, id: 'something-new' };
    const build = track(scan(UNSIGNED, 'slsa-build-l1', [unnamed]), 'build');
    expect(requirement(build, 'other')?.standing).toBe('refuted');
    expect(requirement(build, 'provenance-exists')?.reason).toBe('no rule looks at it');
  });
});
