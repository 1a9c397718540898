import type { ScorePoint } from '#lib/services/pages/action-page.ts';
import type { ShownMove } from '#lib/services/pages/tag-moves.ts';
import { plural } from '../../numbers.ts';
import { BAND_FILL, BAND_STROKE, Band, type BandLetter } from '../domain/band.tsx';
import { ForeignText } from '../domain/foreign-text.tsx';
import { Moves } from '../domain/moves.tsx';
import { formatTime, Time } from '../domain/time.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Section } from '../ui/frame.tsx';
import { Cell, HeaderCell, Row, Table } from '../ui/table.tsx';

const WIDTH = 1000;
const MARGIN = 25;
const STRIPES: readonly (readonly [band: BandLetter, from: number, height: number])[] = [
  ['A', 0, 10],
  ['B', 10, 10],
  ['C', 20, 15],
  ['D', 35, 15],
  ['F', 50, 50],
];

interface Props {
  readonly history: readonly ScorePoint[];
  readonly moves: readonly ShownMove[];
}

export function History({ history, moves }: Props) {
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <Section id="history" title="History">
      {history.length === 1 ? (
        <p className="text-sm text-muted">
          One evaluation so far, on <Time at={first.at} />. A picture appears once there are two.
        </p>
      ) : (
        <Chart history={history} moves={moves} first={first} last={last} />
      )}
      {moves.length > 0 && (
        <div className="mt-6">
          <h3 className="mb-2 font-semibold">Release tags that moved</h3>
          <div className="rounded-panel border border-line p-4">
            <Moves moves={moves.slice(0, 20)} />
          </div>
        </div>
      )}
    </Section>
  );
}

function Chart({ history, moves, first, last }: Props & { readonly first: ScorePoint; readonly last: ScorePoint }) {
  const [from, to] = [Date.parse(first.at), Date.parse(last.at)];
  const placeOf = (at: string): number =>
    round(MARGIN + ((Date.parse(at) - from) / Math.max(1, to - from)) * (WIDTH - 2 * MARGIN));
  const line = history.filter(({ newest }) => newest);
  const changes = history.filter(
    ({ algorithmVersion }, index) => index > 0 && history[index - 1]?.algorithmVersion !== algorithmVersion,
  );
  const drawn = moves.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to);
  return (
    <>
      <div className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2">
        <div aria-hidden="true" className="grid grid-rows-[10fr_10fr_15fr_15fr_50fr] text-2xs font-semibold text-muted">
          {STRIPES.map(([band]) => (
            <span key={band} className="self-center leading-none">
              {band}
            </span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={summaryOf(line, changes.length, drawn.length)}
          viewBox={`0 0 ${WIDTH} 100`}
          preserveAspectRatio="none"
          className="h-60 w-full overflow-visible rounded-control"
        >
          {STRIPES.map(([band, y, height]) => (
            <rect key={band} y={y} width={WIDTH} height={height} className={BAND_FILL[band]} />
          ))}
          {drawn.map(({ at, to: commit, tags }) => (
            <Upright key={`${at} ${commit} ${tags[0]}`} x={placeOf(at)} className="stroke-critical" width={2} />
          ))}
          {changes.map(({ at }) => (
            <Upright key={at} x={placeOf(at)} className="stroke-fg" width={1.5} dashed />
          ))}
          <path
            d={line
              .map(
                ({ at, score }, index) =>
                  `${index === 0 ? 'M' : 'H'}${placeOf(at)}${index === 0 ? ' ' : 'V'}${100 - score}`,
              )
              .join('')}
            fill="none"
            strokeWidth="2"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
            className="stroke-fg"
          />
          {history.map(({ at, score, band, sha, newest }) => (
            <Dot key={`${at} ${sha}`} x={placeOf(at)} y={100 - score} band={band} small={!newest} />
          ))}
        </svg>
        <div aria-hidden="true" className="col-start-2 mt-1.5 flex justify-between gap-4 text-2xs text-muted">
          <span>{formatTime(first.at)}</span>
          <span className="text-end">{formatTime(last.at)}</span>
        </div>
      </div>
      <Legend
        changes={changes.map(({ algorithmVersion }) => algorithmVersion)}
        moved={drawn.length > 0}
        others={line.length < history.length}
      />
      <Disclosure
        title={plural(history.length, { one: '1 evaluation', other: 'All # evaluations as a table' })}
        className="mt-4"
      >
        <Evaluations history={history} />
      </Disclosure>
    </>
  );
}

function Upright({
  x,
  className,
  width,
  dashed = false,
}: {
  readonly x: number;
  readonly className: string;
  readonly width: number;
  readonly dashed?: boolean;
}) {
  return (
    <line
      x1={x}
      x2={x}
      y1="0"
      y2="100"
      strokeWidth={width}
      {...(dashed ? { strokeDasharray: '5 4' } : {})}
      vectorEffect="non-scaling-stroke"
      className={className}
    />
  );
}

/** A line without length and with round ends stays round however the picture is stretched. */
function Dot({
  x,
  y,
  band,
  small,
}: {
  readonly x: number;
  readonly y: number;
  readonly band: BandLetter;
  readonly small: boolean;
}) {
  const line = { d: `M${x} ${y}h0.01`, strokeLinecap: 'round', vectorEffect: 'non-scaling-stroke' } as const;
  return (
    <>
      <path {...line} strokeWidth={small ? 10 : 14} className="stroke-page" />
      <path {...line} strokeWidth={small ? 6 : 10} className={BAND_STROKE[band]} />
    </>
  );
}

function Legend({
  changes,
  moved,
  others,
}: {
  readonly changes: readonly string[];
  readonly moved: boolean;
  readonly others: boolean;
}) {
  if (changes.length === 0 && !moved && !others) return null;
  return (
    <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1 ps-6 text-sm text-muted">
      {moved && (
        <li className="inline-flex items-center gap-2">
          <Sample className="stroke-critical" width={2} /> A release tag moved
        </li>
      )}
      {others && (
        <li className="inline-flex items-center gap-2">
          <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2 shrink-0 fill-current">
            <circle cx="4" cy="4" r="3" />
          </svg>
          Small: an older release, scored because repositories use it
        </li>
      )}
      {changes.length > 0 && (
        <li className="inline-flex items-center gap-2">
          <Sample className="stroke-fg" width={1.5} dashed /> The algorithm changed, to {changes.slice(-3).join(', ')}:
          scores on both sides do not compare
        </li>
      )}
    </ul>
  );
}

function Sample({
  className,
  width,
  dashed = false,
}: {
  readonly className: string;
  readonly width: number;
  readonly dashed?: boolean;
}) {
  return (
    <svg aria-hidden="true" viewBox="0 0 4 16" className="h-4 w-1 shrink-0">
      <line
        x1="2"
        x2="2"
        y1="0"
        y2="16"
        strokeWidth={width}
        {...(dashed ? { strokeDasharray: '4 2' } : {})}
        className={className}
      />
    </svg>
  );
}

function Evaluations({ history }: { readonly history: readonly ScorePoint[] }) {
  return (
    <Table caption="Evaluations, newest first">
      <thead>
        <tr>
          <HeaderCell>Evaluated</HeaderCell>
          <HeaderCell>Score</HeaderCell>
          <HeaderCell>Version</HeaderCell>
          <HeaderCell>Algorithm</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {history.toReversed().map(({ at, score, band, sha, ref, algorithmVersion }) => (
          <Row key={`${at} ${sha}`}>
            <Cell>
              <Time at={at} />
            </Cell>
            <Cell className="whitespace-nowrap tabular-nums">
              <Band band={band} className="me-2 size-6 text-xs" />
              {score}
            </Cell>
            <Cell>
              {ref !== null && <ForeignText text={ref} className="me-2 font-mono text-xs break-all" />}
              <code className="text-muted">{sha.slice(0, 7)}</code>
            </Cell>
            <Cell className="tabular-nums">{algorithmVersion}</Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}

function summaryOf(line: readonly ScorePoint[], changes: number, moves: number): string {
  const [first, last] = [line[0], line.at(-1)];
  const lowest = Math.min(...line.map(({ score }) => score));
  return [
    ...(first === undefined || last === undefined
      ? []
      : [
          `Score over time: from ${first.score} on ${formatTime(first.at)} to ${last.score} on ${formatTime(last.at)}, lowest ${lowest}.`,
        ]),
    ...(moves > 0 ? [plural(moves, { one: 'Release tags moved once.', other: 'Release tags moved # times.' })] : []),
    ...(changes > 0
      ? [plural(changes, { one: 'The algorithm changed once.', other: 'The algorithm changed # times.' })]
      : []),
  ].join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
