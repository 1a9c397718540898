'use client';

import { SEVERITIES, SEVERITY_LABELS } from '../../../messages.ts';
import { formatNumber } from '../../../numbers.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { SeverityChart } from '../charts/severity-chart.tsx';
import { type Point, total } from '../charts/steps.ts';
import { Problem } from '../problem.tsx';
import { sentenceOf } from './trend-sentence.ts';
import { TREND_DAYS, useTrend } from './use-overview.ts';

const DAY_MS = 86_400_000;

export function Trend() {
  const { data, error, refetch } = useTrend();
  return (
    <section aria-labelledby="trend" className="min-w-0">
      <h2 id="trend" className="mb-1 font-semibold">
        Open findings over {TREND_DAYS} days
      </h2>
      {error !== null && <Problem error={error} what="The history could not be read" onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton lines={7} /> : <Drawn points={data} />}
    </section>
  );
}

function Drawn({ points }: { readonly points: readonly Point[] }) {
  const last = points.at(-1);
  if (last === undefined) return null;
  const sentence = sentenceOf(points);
  const shown = withoutEmptyStart(points);
  if (shown.every(({ counts }) => total(counts) === 0)) return <p className="text-sm text-muted">{sentence}</p>;
  return (
    <>
      <p className="mb-3 text-sm text-muted">{sentence}</p>
      <SeverityChart points={shown} until={last.at + DAY_MS} label={`Open findings by severity. ${sentence}`} />
      <Disclosure title="Show as table" className="mt-3">
        <Table caption="Days on which the number of open findings changed">
          <thead>
            <tr>
              <HeaderCell>Day</HeaderCell>
              {SEVERITIES.map((severity) => (
                <HeaderCell key={severity}>{SEVERITY_LABELS[severity].label}</HeaderCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {changesIn(points).map(({ at, counts }) => (
              <Row key={at}>
                <HeaderCell scope="row" className="whitespace-nowrap">
                  {new Date(at).toISOString().slice(0, 10)}
                </HeaderCell>
                {SEVERITIES.map((severity) => (
                  <Cell key={severity} className="tabular-nums">
                    {formatNumber(counts[severity])}
                  </Cell>
                ))}
              </Row>
            ))}
          </tbody>
        </Table>
      </Disclosure>
    </>
  );
}

const SHORTEST_DAYS = 14;

function withoutEmptyStart(points: readonly Point[]): readonly Point[] {
  const first = points.findIndex(({ counts }) => total(counts) > 0);
  return first < 1 ? points : points.slice(Math.max(0, Math.min(first - 1, points.length - SHORTEST_DAYS)));
}

function changesIn(points: readonly Point[]): readonly Point[] {
  return points
    .filter(({ counts }, index) => {
      const before = points[index - 1]?.counts;
      const isEnd = before === undefined || index === points.length - 1;
      return isEnd || SEVERITIES.some((severity) => before[severity] !== counts[severity]);
    })
    .toReversed();
}
