import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effort } from '../../tests/support/effort.ts';
import { carryOver, evaluate, FAMILIES_OF_SIGNALS, readSignals } from './evaluate.ts';
import type { CollectedFacts, RefObservation } from './facts.ts';
import { FLAWLESS } from './flawless.ts';
import { bandOf, type Evaluation, score } from './score.ts';
import { FAMILIES, type FamilyId, pointsFor, type Signal, UNKNOWN_REASONS, type UnknownReason } from './signal.ts';

const VERSION = '1.0.0';
const CAPS: Readonly<Record<FamilyId, number>> = { static: 45, metadata: 20, tag: 40, advisory: 100 };
const CATALOG = FAMILIES_OF_SIGNALS.flatMap(({ id: family, signals }) =>
  signals.map((signal) => ({ ...signal, family })),
);
const GROUPS = [...new Set(CATALOG.flatMap(({ group }) => group ?? []))];

const state = (id: string): fc.Arbitrary<Signal> =>
  fc.oneof(
    fc.record({
      id: fc.constant(id),
      state: fc.constant('present' as const),
      n: fc.integer({ min: 1, max: 9 }),
      evidence: fc.string(),
    }),
    fc.constant({ id, state: 'absent' as const }),
    fc.record({
      id: fc.constant(id),
      state: fc.constant('unknown' as const),
      reason: fc.constantFrom(...UNKNOWN_REASONS),
    }),
  );
const signalsOf = fc
  .tuple(...CATALOG.map(({ id }) => fc.option(state(id))))
  .map((all) => all.flatMap((each) => each ?? []));
const anySignal = fc.constantFrom(...CATALOG).chain(({ id }) => state(id));

const evaluated = (signals: readonly Signal[]): Evaluation => score(signals, VERSION);
const without = (signals: readonly Signal[], id: string): Signal[] => signals.filter((signal) => signal.id !== id);
const SETTINGS = effort(150, 20_000);

function holds<T extends readonly unknown[]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  check: (...values: T) => void,
): void {
  fc.assert(
    fc.property(fc.tuple(...arbitraries) as fc.Arbitrary<unknown> as fc.Arbitrary<T>, (values) => check(...values)),
    SETTINGS,
  );
}

describe('a score', () => {
  it('P1: is an integer from 0 to 100', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      for (const value of [evaluated(signals).score, evaluated(signals).scoreFloor]) {
        expect(Number.isInteger(value) && value >= 0 && value <= 100).toBe(true);
      }
    });
  });

  it('P2: takes from each family at most its cap', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      const { breakdown } = evaluated(signals);
      for (const family of FAMILIES) {
        expect(breakdown[family]).toBeGreaterThanOrEqual(0);
        expect(breakdown[family]).toBeLessThanOrEqual(CAPS[family]);
      }
    });
  });

  it('P3: is 100 less the breakdown, which is the points of the signals within the caps', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      const { score: result, breakdown, preCap, signals: counted } = evaluated(signals);
      expect(result).toBe(Math.max(0, 100 - FAMILIES.reduce((sum, family) => sum + breakdown[family], 0)));
      for (const family of FAMILIES) {
        const points = counted.reduce((sum, each) => (each.family === family ? sum + each.points : sum), 0);
        expect(preCap[family]).toBe(points);
        expect(breakdown[family]).toBe(Math.min(CAPS[family], points));
      }
    });
  });

  it('P4: never rises when a signal appears or occurs more often', () => {
    holds<[Signal[], number, number]>(
      [signalsOf, fc.nat(CATALOG.length - 1), fc.integer({ min: 1, max: 9 })],
      (signals, index, more) => {
        const id = CATALOG[index]?.id ?? '';
        const before = signals.find((signal) => signal.id === id);
        const n = (before?.state === 'present' ? before.n : 0) + more;
        const after = [...without(signals, id), { id, state: 'present' as const, n, evidence: '' }];
        expect(evaluated(after).score).toBeLessThanOrEqual(evaluated(signals).score);
      },
    );
  });

  it('P5: changes in at most one family when one signal changes', () => {
    holds<[Signal[], Signal]>([signalsOf, anySignal], (signals, changed) => {
      const before = evaluated(signals).breakdown;
      const after = evaluated([...without(signals, changed.id), changed]).breakdown;
      const own = CATALOG.find(({ id }) => id === changed.id)?.family;
      expect(FAMILIES.filter((family) => before[family] !== after[family] && family !== own)).toEqual([]);
    });
  });

  it('P6: is at least its floor; a resolved unknown does not lower the floor or raise the score', () => {
    holds<[Signal[], number, number]>(
      [signalsOf, fc.nat(CATALOG.length - 1), fc.integer({ min: 1, max: 9 })],
      (signals, index, n) => {
        const id = CATALOG[index]?.id ?? '';
        const open = evaluated([...without(signals, id), { id, state: 'unknown', reason: 'fetch_failed' }]);
        const absent = evaluated([...without(signals, id), { id, state: 'absent' }]);
        const present = evaluated([...without(signals, id), { id, state: 'present', n, evidence: '' }]);
        expect(open.scoreFloor).toBeLessThanOrEqual(open.score);
        expect(absent.scoreFloor).toBeGreaterThanOrEqual(open.scoreFloor);
        expect(present.score).toBeLessThanOrEqual(open.score);
      },
    );
  });

  it('P7: does not depend on the order of signals, even if one is given twice', () => {
    const twice = fc.tuple(signalsOf, fc.array(anySignal, { maxLength: 4 })).map(([a, b]) => [...a, ...b]);
    const shuffled = twice.chain((signals) =>
      fc.tuple(fc.constant(signals), fc.shuffledSubarray(signals, { minLength: signals.length })),
    );
    holds<[[Signal[], Signal[]]]>([shuffled], ([one, other]) => {
      expect(JSON.stringify(evaluated(other))).toBe(JSON.stringify(evaluated(one)));
    });
  });

  it('P8: is the same, byte for byte, for the same signals, whatever the order of their keys', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      const reversed = signals.map(
        (signal) => Object.fromEntries(Object.entries(signal).reverse()) as unknown as Signal,
      );
      expect(JSON.stringify(evaluated(reversed))).toBe(JSON.stringify(evaluated(signals)));
    });
  });

  it('P9: is 100 without signals, and with all of them absent', () => {
    expect(evaluated([]).score).toBe(100);
    expect(evaluated(CATALOG.map(({ id }) => ({ id, state: 'absent' })))).toMatchObject({
      score: 100,
      scoreFloor: 100,
      coverage: 1,
    });
  });

  it('P10: comes out again from the stored signals', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      const stored = JSON.parse(JSON.stringify(evaluated(signals))) as Evaluation;
      expect(score(stored.signals, stored.algorithmVersion)).toEqual(stored);
    });
  });

  it('P12: has a band that never gets better as it falls', () => {
    const bands = Array.from({ length: 101 }, (_, points) => 'FDCBA'.indexOf(bandOf(points)));
    expect(bands).toEqual([...bands].sort((a, b) => a - b));
    holds<[Signal[]]>([signalsOf], (signals) => {
      expect(evaluated(signals).band).toBe(bandOf(evaluated(signals).score));
    });
  });

  it('P13: counts one signal of a group, the most expensive', () => {
    holds<[Signal[]]>([signalsOf], (signals) => {
      const { signals: counted } = evaluated(signals);
      for (const group of GROUPS) {
        const own = CATALOG.filter((each) => each.group === group);
        const costs = counted.filter(({ id }) => own.some((each) => each.id === id)).map(({ points }) => points);
        const alone = own.map(({ id, points }) => {
          const signal = signals.find((each) => each.id === id);
          return signal?.state === 'present' ? pointsFor(points, signal.n) : 0;
        });
        expect(costs.filter((points) => points > 0).length).toBeLessThanOrEqual(1);
        expect(Math.max(...costs)).toBe(Math.max(...alone));
      }
    });
  });
});

const COMMITS = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
const hour = (hours: number): string => new Date(Date.UTC(2025, 0, 1) + hours * 3_600_000).toISOString();
const observation = (names: readonly string[]): fc.Arbitrary<RefObservation> =>
  fc.record({
    ref: fc.constantFrom(...names).map((name) => `refs/tags/${name}`),
    commit: fc.constantFrom(...COMMITS),
    firstSeen: fc.nat(9_000).map(hour),
    lastSeen: fc.integer({ min: 9_000, max: 9_200 }).map(hour),
    onDefaultBranch: fc.boolean(),
  });
const EXACT = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v2.0.0', 'v2.1.0'];
const ALIASES = ['v1', 'v2', 'latest', 'release/v1'];
const histories = fc
  .tuple(
    fc.array(observation([...EXACT, ...ALIASES]), { maxLength: 12 }),
    fc.constantFrom(...COMMITS),
    fc.constantFrom(...COMMITS),
  )
  .map(
    ([seen, now, main]): CollectedFacts => ({
      ...FLAWLESS,
      refs: {
        value: {
          tags: [...EXACT, ...ALIASES].map((name) => ({ name, commit: now })),
          branches: [{ name: 'main', commit: main }],
        },
      },
      observations: {
        value: [
          ...EXACT.map((name) => ({
            ref: `refs/tags/${name}`,
            commit: now,
            firstSeen: hour(0),
            lastSeen: hour(9_200),
          })),
          ...seen,
        ],
      },
    }),
  );

const flawed = fc
  .tuple(
    histories,
    fc.record({
      severity: fc.constantFrom('critical' as const, 'low' as const),
      kind: fc.constantFrom('malware' as const, 'vulnerability' as const),
      range: fc.constantFrom('< 1.1.0', '>= 2.0.0', '< 0.1.0'),
      commits: fc.option(fc.constantFrom(...COMMITS), { nil: undefined }),
      immutable: fc.boolean(),
      users: fc.nat(20),
      stars: fc.constantFrom(0, 1_000),
      owner: fc.constantFrom('action', 'actions'),
      latestAt: fc.constantFrom('2022-01-01T00:00:00Z', '2024-12-01T00:00:00Z', '2026-01-01T00:00:00Z'),
      reachability: fc.constantFrom('branch' as const, 'tag' as const, 'none' as const),
      yes: fc.boolean(),
    }),
  )
  .map(
    ([facts, flaws]): CollectedFacts => ({
      ...facts,
      action: { ...facts.action, owner: flaws.owner, name: 'checkout' },
      publisherCi: { value: { critical: flaws.yes ? 1 : 0, high: 2 } },
      repository: { value: { archived: flaws.yes, stars: flaws.stars } },
      owner: { value: { createdAt: flaws.yes ? '2026-01-01T00:00:00Z' : '2020-01-01T00:00:00Z' } },
      commits: { value: { latestAt: flaws.latestAt, authors: [], complete: true } },
      community: { value: { license: null, securityPolicy: flaws.yes } },
      usage: { value: { users: flaws.users } },
      identities: {
        value: [
          {
            owner: flaws.owner,
            name: 'checkout',
            repositoryId: 1,
            ownerId: flaws.yes ? 2 : 3,
            at: '2025-01-01T00:00:00Z',
          },
        ],
      },
      reachability: { value: flaws.reachability },
      releases: {
        value: [{ tag: 'v1.1.0', immutable: flaws.immutable, draft: false, publishedAt: '2025-09-01T00:00:00Z' }],
      },
      signature: { value: { verified: flaws.yes } },
      advisories: {
        value: [
          {
            id: 'GHSA-xxxx',
            kind: flaws.kind,
            severity: flaws.severity,
            publishedAt: '2025-12-01T00:00:00Z',
            path: '',
            ranges: [flaws.range],
            ...(flaws.commits === undefined ? {} : { commits: [flaws.commits] }),
          },
        ],
      },
      dependencies: { value: [{ name: 'undici', version: '1.0.0', severity: flaws.severity }] },
    }),
  );

const SOURCES = [
  'publisherCi',
  'rebuild',
  'repository',
  'owner',
  'commits',
  'community',
  'usage',
  'observations',
  'identities',
  'reachability',
  'releases',
  'signature',
  'advisories',
  'dependencies',
] as const;

function scoreOf(facts: CollectedFacts): number | undefined {
  const attempt = evaluate(facts);
  return 'evaluation' in attempt ? attempt.evaluation.score : undefined;
}

describe('an evaluation', () => {
  it('P11: is not moved by alias tags that move', () => {
    holds<[CollectedFacts, string, string]>(
      [histories, fc.constantFrom(...ALIASES), fc.constantFrom(...COMMITS)],
      (facts, alias, to) => {
        if (!('value' in facts.refs) || !('value' in facts.observations)) return;
        const { tags, branches } = facts.refs.value;
        const moved: CollectedFacts = {
          ...facts,
          refs: { value: { branches, tags: tags.map((tag) => (tag.name === alias ? { ...tag, commit: to } : tag)) } },
          observations: {
            value: [
              ...facts.observations.value,
              { ref: `refs/tags/${alias}`, commit: to, firstSeen: facts.asOf, lastSeen: facts.asOf },
            ],
          },
        };
        expect(scoreOf(moved)).toBe(scoreOf(facts));
      },
    );
  });

  it('P14: is not changed by a new name of the same repository, but for what the name itself says', () => {
    const ABOUT_NAMES = ['typosquat-suspect', 'unverified-creator'];
    holds<[CollectedFacts, string]>([histories, fc.constantFrom('renamed', 'other', 'greeting')], (facts, name) => {
      const renamed = { ...facts, action: { ...facts.action, owner: 'somebody', name } };
      const read = (each: CollectedFacts): Signal[] => readSignals(each).filter(({ id }) => !ABOUT_NAMES.includes(id));
      expect(score(read(renamed), VERSION)).toEqual(score(read(facts), VERSION));
    });
  });

  it('P15: is not made without tree and refs, and an outage keeps every other reading', () => {
    const outage = fc.constantFrom<UnknownReason>('forbidden', 'rate_limited', 'fetch_failed');
    holds<[CollectedFacts, (typeof SOURCES)[number][], UnknownReason]>(
      [flawed, fc.subarray([...SOURCES]), outage],
      (facts, failed, reason) => {
        const before = evaluate(facts);
        if (!('evaluation' in before)) throw new Error('The facts lack nothing.');
        const { signals, score: published } = before.evaluation;
        const broken: CollectedFacts = {
          ...facts,
          ...Object.fromEntries(failed.map((source) => [source, { unknown: reason }])),
        };
        const after = evaluate(broken, signals);
        expect('evaluation' in after && after.evaluation.score).toBe(published);
        expect(evaluate({ ...broken, refs: { unknown: reason } }, signals)).toEqual({
          missing: [{ source: 'refs', reason }],
        });
      },
    );
    expect(evaluate({ ...FLAWLESS, tree: { unknown: 'forbidden' }, refs: { unknown: 'rate_limited' } })).toEqual({
      missing: [
        { source: 'tree', reason: 'forbidden' },
        { source: 'refs', reason: 'rate_limited' },
      ],
    });
  });

  it('does not keep a reading that no outage explains', () => {
    const previous: Signal[] = [{ id: 'archived', state: 'present', n: 1, evidence: '' }];
    const now: Signal[] = [{ id: 'archived', state: 'unknown', reason: 'not_supported' }];
    expect(carryOver(now, previous)).toEqual(now);
    expect(carryOver([{ id: 'archived', state: 'absent' }], previous)).toEqual([{ id: 'archived', state: 'absent' }]);
  });
});
