import { describe, expect, it } from 'vitest';
import { FAMILIES_OF_SIGNALS } from './evaluate.ts';
import { bandOf, score } from './score.ts';
import { FAMILIES, type Signal, type UnknownReason } from './signal.ts';

const VERSION = '1.0.0';
const ALL = FAMILIES_OF_SIGNALS.flatMap(({ signals }) => signals.map(({ id }) => id));

function action(
  present: Readonly<Record<string, number>>,
  unknown: Readonly<Record<string, UnknownReason>> = {},
): Signal[] {
  for (const id of [...Object.keys(present), ...Object.keys(unknown)]) expect(ALL).toContain(id);
  return ALL.map((id): Signal => {
    const n = present[id];
    const reason = unknown[id];
    if (n !== undefined) return { id, state: 'present', n, evidence: 'seen' };
    return reason === undefined ? { id, state: 'absent' } : { id, state: 'unknown', reason };
  });
}

const NO_HISTORY = {
  'exact-tag-moved': 'no_history',
  'exact-tag-moved-early': 'no_history',
  'recent-drift-in-repo': 'no_history',
  'exact-tag-deleted': 'no_history',
  'repo-identity-changed': 'no_history',
  'fresh-7d': 'no_history',
} as const;

const ABANDONED = {
  'stale-24m': 1,
  'single-maintainer': 1,
  'unverified-creator': 1,
  'no-security-policy': 1,
  'low-adoption': 1,
};
const TJ = { 'single-maintainer': 1, 'unverified-creator': 1, 'no-immutable-release': 1 };
const TJ_HIJACKED = {
  ...TJ,
  'malicious-code-shape': 1,
  'remote-code-unverified': 1,
  'mass-retag': 1,
  'exact-tag-moved': 360,
  'unreachable-commit': 1,
  'unsigned-commit': 1,
  'fresh-7d': 1,
};

describe('worked examples', () => {
  it.each<
    [what: string, signals: Signal[], families: readonly [number, number, number, number], score: number, band: string]
  >([
    ['an action with immutable releases, nothing found', action({}), [0, 0, 0, 0], 100, 'A'],
    [
      'actions/checkout v7.0.1: the latest release is mutable, one dependency of the tool chain is vulnerable',
      action({ 'latest-release-mutable': 1, 'dep-vuln-high': 1 }, { 'dist-mismatch': 'not_supported' }),
      [0, 0, 3, 2],
      95,
      'A',
    ],
    [
      'a typical action of one maintainer: old runtime, no rebuild, vulnerable dependencies',
      action(
        {
          'runtime-deprecated': 1,
          'dist-unverifiable': 1,
          'single-maintainer': 1,
          'unverified-creator': 1,
          'no-security-policy': 1,
          'no-immutable-release': 1,
          'dep-vuln-critical': 2,
          'dep-vuln-high': 1,
        },
        { 'dist-mismatch': 'not_supported' },
      ),
      [8, 9, 6, 8],
      69,
      'C',
    ],
    [
      'tj-actions/changed-files, the true commit, the day before',
      action({ ...TJ, 'dep-vuln-high': 1 }),
      [0, 7, 6, 2],
      85,
      'B',
    ],
    ['its hijacked commit in the first hour, tags watched', action(TJ_HIJACKED), [45, 7, 40, 0], 8, 'F'],
    [
      'the same without observations and without a shape of the code',
      action({ ...TJ, 'remote-code-unverified': 1, 'mass-retag': 1, 'unreachable-commit': 1 }, NO_HISTORY),
      [15, 7, 40, 0],
      38,
      'F',
    ],
    [
      'its hijacked commit after the advisory',
      action({ ...TJ_HIJACKED, 'malware-this-commit': 1 }),
      [45, 7, 40, 100],
      0,
      'F',
    ],
    [
      'its clean version two months later',
      action({ ...TJ, 'recent-drift-in-repo': 1, 'compromised-365d': 1 }),
      [0, 7, 14, 8],
      71,
      'C',
    ],
    [
      'aquasecurity/trivy-action before the attack: its own workflows have a critical path',
      action({ 'publisher-ci-critical': 1, 'nested-uses-trusted-tag': 1, 'no-immutable-release': 1 }),
      [17, 0, 6, 0],
      77,
      'C',
    ],
    [
      'its release 0.34.2 after the tags were moved',
      action({
        'malicious-code-shape': 1,
        'publisher-ci-critical': 1,
        'mass-retag': 1,
        'exact-tag-moved': 1,
        'unreachable-commit': 1,
      }),
      [45, 0, 40, 0],
      15,
      'F',
    ],
    [
      'an abandoned Docker action of one maintainer on :latest',
      action({ ...ABANDONED, 'docker-image-latest': 1, 'no-exact-tags': 1, 'unsigned-commit': 1 }),
      [18, 19, 10, 0],
      53,
      'D',
    ],
    [
      'a composite action with three pasted inputs and four unpinned actions',
      action({
        ...TJ,
        'composite-injection-input': 3,
        'nested-uses-third-party-tag': 2,
        'nested-uses-branch': 1,
        'nested-uses-trusted-tag': 1,
      }),
      [42, 7, 6, 0],
      45,
      'F',
    ],
  ])('%s', (_what, signals, families, points, band) => {
    const evaluation = score(signals, VERSION);
    expect(FAMILIES.map((family) => evaluation.breakdown[family])).toEqual(families);
    expect([evaluation.score, evaluation.band]).toEqual([points, band]);
  });

  it('the first hour in full: points before the caps and what blocks', () => {
    expect(score(action(TJ_HIJACKED), VERSION)).toMatchObject({
      scoreFloor: 8,
      preCap: { static: 55, metadata: 7, tag: 121, advisory: 0 },
      hardBlock: ['mass-retag', 'unreachable-commit'],
      provisional: false,
    });
  });
});

describe('what is missing', () => {
  it('costs nothing in the score and once in the floor, and lowers the coverage', () => {
    expect(score(action({}, { archived: 'forbidden' }), VERSION)).toMatchObject({
      score: 100,
      scoreFloor: 85,
      coverage: 0.98,
      provisional: false,
    });
  });

  it('counts the most expensive of a group in the floor', () => {
    const { scoreFloor } = score(
      action({}, { archived: 'forbidden', 'stale-24m': 'forbidden', 'stale-12m': 'forbidden' }),
      VERSION,
    );
    expect(scoreFloor).toBe(85);
  });

  it('makes a score provisional when less than 80 % of the points are known', () => {
    const known = (ids: readonly string[]): Signal[] => ids.map((id) => ({ id, state: 'absent' }));
    expect(score([], VERSION)).toMatchObject({ score: 100, scoreFloor: 0, coverage: 0, provisional: true });
    expect(score(known(ALL), VERSION)).toMatchObject({ coverage: 1, provisional: false });
    const most = ALL.filter((id) => id !== 'malware-this-commit' && id !== 'vuln-critical' && id !== 'no-license');
    expect(score(known(most), VERSION)).toMatchObject({ coverage: 0.81, provisional: false });
    expect(
      score(known(most.filter((id) => id !== 'vuln-low' && id !== 'vuln-mapping-unknown')), VERSION),
    ).toMatchObject({
      coverage: 0.79,
      provisional: true,
    });
  });

  it('says whether advisories are known, whatever is unknown of dependencies', () => {
    const of = (unknown: Parameters<typeof action>[1]) => score(action({}, unknown), VERSION).advisoriesKnown;
    expect([of({}), of({ 'vuln-high': 'rate_limited' }), of({ 'dep-vuln-high': 'not_supported' })]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('refuses a version that does not exist', () => {
    expect(() => score([], '0.0.1')).toThrow(RangeError);
  });
});

describe('bands and blocks', () => {
  it.each([
    [100, 'A'],
    [90, 'A'],
    [89, 'B'],
    [80, 'B'],
    [79, 'C'],
    [65, 'C'],
    [64, 'D'],
    [50, 'D'],
    [49, 'F'],
    [0, 'F'],
  ])('%i is %s', (points, band) => {
    expect(bandOf(points)).toBe(band);
  });

  it.each(['malware-this-commit', 'mass-retag', 'repo-identity-changed', 'unreachable-commit'])(
    '%s blocks whatever the score',
    (id) => {
      expect(score(action({ [id]: 1 }), VERSION).hardBlock).toEqual([id]);
    },
  );
});
