import { SEVERITIES, type Severity } from '../../../messages.ts';

export type Counts = Readonly<Record<Severity, number>>;

export interface Point {
  readonly at: number;
  readonly counts: Counts;
}

export interface Area {
  readonly severity: Severity;
  readonly d: string;
}

export interface Drawing {
  readonly areas: readonly Area[];
  readonly most: number;
}

export const WIDTH = 1_000;
export const HEIGHT = 100;

interface Sums {
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
}

export function countsOf(rows: readonly Sums[]): Counts {
  const sum = (key: keyof Sums) => rows.reduce((count, row) => count + row[key], 0);
  return { HIGH: sum('high'), MEDIUM: sum('medium'), LOW: sum('low'), INFO: sum('info') };
}

export function total({ HIGH, MEDIUM, LOW, INFO }: Counts): number {
  return HIGH + MEDIUM + LOW + INFO;
}

export function drawSteps(points: readonly Point[], until: number): Drawing {
  const most = niceAbove(Math.max(1, ...points.map(({ counts }) => total(counts))));
  const from = points[0]?.at ?? until;
  const span = Math.max(1, until - from);
  const x = (at: number) => round((WIDTH * (at - from)) / span);
  const y = (count: number) => round(HEIGHT - (HEIGHT * count) / most);
  const edges = points.map(({ at }, index) => [x(at), x(points[index + 1]?.at ?? until)] as const);
  let base = points.map(() => 0);
  const areas = SEVERITIES.map((severity): Area => {
    const top = points.map(({ counts }, index) => (base[index] ?? 0) + counts[severity]);
    const upper = edges.map(([left, right], index) => `${left} ${y(top[index] ?? 0)} ${right} ${y(top[index] ?? 0)}`);
    const lower = edges
      .map(([left, right], index) => `${right} ${y(base[index] ?? 0)} ${left} ${y(base[index] ?? 0)}`)
      .reverse();
    base = top;
    return { severity, d: points.length === 0 ? '' : `M${[...upper, ...lower].join('L')}Z` };
  });
  return { areas, most };
}

const STEPS = [1, 2, 5, 10];

function niceAbove(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)));
  return unit * (STEPS.find((step) => step * unit >= value) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
