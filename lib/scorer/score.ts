import { type Algorithm, algorithmOf } from './algorithm.ts';
import { FAMILIES, type FamilyId, pointsFor, type ScoredSignal, type Signal, type UnknownReason } from './signal.ts';

export type Band = 'A' | 'B' | 'C' | 'D' | 'F';

export const BANDS: readonly (readonly [band: Band, from: number])[] = [
  ['A', 90],
  ['B', 80],
  ['C', 65],
  ['D', 50],
  ['F', 0],
];

export const DEFAULT_GATE = 65;

/** Percentage of the points that must be known; below it a score is provisional. */
export const FIRM_COVERAGE = 80;

export type FamilyPoints = Readonly<Record<FamilyId, number>>;

export type CountedSignal = Signal & { readonly family: FamilyId; readonly points: number };

/**
 * `score` is 0 (worst) to 100, and unknown signals cost nothing; in `scoreFloor` each is present once. `coverage` is
 * the share of all points that known signals account for, 0 to 1, rounded down to hundredths.
 */
export interface Evaluation {
  readonly algorithmVersion: string;
  readonly score: number;
  readonly scoreFloor: number;
  readonly band: Band;
  readonly coverage: number;
  readonly provisional: boolean;
  readonly advisoriesKnown: boolean;
  readonly hardBlock: readonly string[];
  readonly breakdown: FamilyPoints;
  readonly preCap: FamilyPoints;
  readonly signals: readonly CountedSignal[];
}

/**
 * Scores signals with an algorithm. Pure and independent of their order. Signals of other algorithms are ignored,
 * missing ones are unknown. Throws for an unknown version.
 */
export function score(signals: readonly Signal[], algorithmVersion: string): Evaluation {
  const algorithm = algorithmOf(algorithmVersion);
  const given = new Map<string, Signal>();
  for (const signal of signals) given.set(signal.id, worse(given.get(signal.id), signal));
  const counted = count(algorithm, (id) => given.get(id) ?? { id, state: 'unknown', reason: 'not_supported' });
  const assumed = count(algorithm, (id) => presumed(given.get(id), id));
  const preCap = sums(counted);
  const breakdown = capped(algorithm, preCap);
  const result = rest(breakdown);
  const coverage = coverageOf(algorithm, counted);
  return {
    algorithmVersion,
    score: result,
    scoreFloor: rest(capped(algorithm, sums(assumed))),
    band: bandOf(result),
    coverage: coverage / 100,
    provisional: coverage < FIRM_COVERAGE,
    advisoriesKnown: counted.every(({ entry, signal }) => entry.essential !== true || signal.state !== 'unknown'),
    hardBlock: counted.flatMap(({ entry, signal }) =>
      entry.blocks === true && signal.state === 'present' ? [entry.id] : [],
    ),
    breakdown,
    preCap,
    signals: counted.map(({ family, signal, points }) => ({ ...inFixedKeyOrder(signal), family, points })),
  };
}

export function bandOf(points: number): Band {
  return BANDS.find(([, from]) => points >= from)?.[0] ?? 'F';
}

interface Counted {
  readonly entry: ScoredSignal;
  readonly family: FamilyId;
  readonly signal: Signal;
  readonly points: number;
}

function count({ families }: Algorithm, signalOf: (id: string) => Signal): Counted[] {
  const all = FAMILIES.flatMap((family) =>
    families[family].signals.map((entry): Counted => {
      const signal = signalOf(entry.id);
      return { entry, family, signal, points: signal.state === 'present' ? pointsFor(entry.points, signal.n) : 0 };
    }),
  );
  const winners = new Map<string, Counted>();
  for (const each of all) {
    const { group } = each.entry;
    if (group !== undefined && each.points > (winners.get(group)?.points ?? 0)) winners.set(group, each);
  }
  return all.map((each) =>
    each.entry.group === undefined || winners.get(each.entry.group) === each ? each : { ...each, points: 0 },
  );
}

function presumed(signal: Signal | undefined, id: string): Signal {
  return signal === undefined || signal.state === 'unknown' ? { id, state: 'present', n: 1, evidence: '' } : signal;
}

function worse(one: Signal | undefined, other: Signal): Signal {
  if (one === undefined) return other;
  const order = rankOf(one) - rankOf(other);
  if (order !== 0) return order > 0 ? one : other;
  return JSON.stringify(inFixedKeyOrder(one)) <= JSON.stringify(inFixedKeyOrder(other)) ? one : other;
}

function rankOf(signal: Signal): number {
  if (signal.state === 'present') return signal.n;
  return signal.state === 'unknown' ? 0 : -1;
}

function inFixedKeyOrder(signal: Signal): Signal {
  const { id, state, evidence } = signal;
  const said = evidence === undefined ? {} : { evidence };
  if (state === 'present') return { id, state, n: signal.n, evidence: signal.evidence };
  return state === 'unknown'
    ? { id, state, reason: signal.reason satisfies UnknownReason, ...said }
    : { id, state, ...said };
}

function sums(counted: readonly Counted[]): FamilyPoints {
  return byFamily((family) => counted.reduce((sum, each) => (each.family === family ? sum + each.points : sum), 0));
}

function capped({ families }: Algorithm, points: FamilyPoints): FamilyPoints {
  return byFamily((family) => Math.min(families[family].cap, points[family]));
}

function rest(breakdown: FamilyPoints): number {
  return Math.max(0, 100 - FAMILIES.reduce((sum, family) => sum + breakdown[family], 0));
}

function coverageOf({ families }: Algorithm, counted: readonly Counted[]): number {
  const all = FAMILIES.flatMap((family) => families[family].signals).reduce((sum, { points }) => sum + points[2], 0);
  const known = counted.reduce(
    (sum, { entry, signal }) => (signal.state === 'unknown' ? sum : sum + entry.points[2]),
    0,
  );
  return Math.floor((known * 100) / all);
}

function byFamily(valueOf: (family: FamilyId) => number): FamilyPoints {
  return {
    static: valueOf('static'),
    metadata: valueOf('metadata'),
    tag: valueOf('tag'),
    advisory: valueOf('advisory'),
  };
}
