import { ALGORITHM_VERSION, algorithmOf } from '#lib/scorer/algorithm.ts';
import { FAMILIES_OF_SIGNALS } from '#lib/scorer/evaluate.ts';
import { BANDS, DEFAULT_GATE, FIRM_COVERAGE } from '#lib/scorer/score.ts';
import { FAMILIES, type FamilyId } from '#lib/scorer/signal.ts';

export interface MethodSignal {
  readonly id: string;
  readonly means: string;
  readonly first: number;
  readonly next: number;
  readonly max: number;
  readonly blocks: boolean;
  readonly exclusiveWith: readonly string[];
}

export interface MethodFamily {
  readonly id: FamilyId;
  readonly cap: number;
  readonly signals: readonly MethodSignal[];
}

export interface ScoreMethod {
  readonly version: string;
  readonly bands: readonly { readonly band: (typeof BANDS)[number][0]; readonly from: number; readonly to: number }[];
  readonly gate: number;
  readonly firmCoverage: number;
  readonly families: readonly MethodFamily[];
  readonly blocking: readonly MethodSignal[];
}

let known: ScoreMethod | undefined;

export function readScoreMethod(): ScoreMethod {
  known ??= describeMethod();
  return known;
}

function describeMethod(): ScoreMethod {
  const { families: tables } = algorithmOf(ALGORITHM_VERSION);
  const meanings = new Map(
    FAMILIES_OF_SIGNALS.flatMap(({ signals }) => signals.map(({ id, means }) => [id, means] as const)),
  );
  const families = FAMILIES.map((id) => {
    const { cap, signals } = tables[id];
    return {
      id,
      cap,
      signals: signals.map(({ id: own, points: [first, next, max], group, blocks }) => ({
        id: own,
        means: meanings.get(own) ?? '',
        first,
        next,
        max,
        blocks: blocks === true,
        exclusiveWith: signals.flatMap((other) =>
          group !== undefined && other.group === group && other.id !== own ? [other.id] : [],
        ),
      })),
    };
  });
  return {
    version: ALGORITHM_VERSION,
    bands: BANDS.map(([band, from], index) => ({
      band,
      from,
      to: index === 0 ? 100 : (BANDS[index - 1]?.[1] ?? 0) - 1,
    })),
    gate: DEFAULT_GATE,
    firmCoverage: FIRM_COVERAGE,
    families,
    blocking: families.flatMap(({ signals }) => signals.filter(({ blocks }) => blocks)),
  };
}
