import { useMemo } from 'react';
import { SEVERITIES, SEVERITY_LABELS } from '../../../messages.ts';
import { formatNumber } from '../../../numbers.ts';
import { drawSteps, HEIGHT, type Point, WIDTH } from './steps.ts';

interface Props {
  readonly points: readonly Point[];
  readonly until: number;
  readonly label: string;
}

const FILLS = { HIGH: 'fill-high-solid', MEDIUM: 'fill-medium-solid', LOW: 'fill-low-solid', INFO: 'fill-info-solid' };
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function SeverityChart({ points, until, label }: Props) {
  const { areas, most } = useMemo(() => drawSteps(points, until), [points, until]);
  return (
    <figure>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-2xs text-muted tabular-nums">
        <p aria-hidden="true" className="flex flex-col justify-between text-end leading-none">
          <span>{formatNumber(most)}</span>
          <span>0</span>
        </p>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-40 w-full border-y border-line"
        >
          {areas.map(({ severity, d }) => (
            <path
              key={severity}
              d={d}
              strokeWidth="1"
              vectorEffect="non-scaling-stroke"
              className={`${FILLS[severity]} stroke-page`}
            />
          ))}
        </svg>
        <p aria-hidden="true" className="col-start-2 mt-1.5 flex justify-between">
          <span>{DATE.format(points[0]?.at ?? until)}</span>
          <span>{DATE.format(until - 1)}</span>
        </p>
      </div>
      <figcaption>
        <ul aria-label="Colours" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
          {SEVERITIES.map((severity) => (
            <li key={severity} className="inline-flex items-center gap-1.5">
              <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5 shrink-0">
                <rect width="10" height="10" rx="2" className={FILLS[severity]} />
              </svg>
              {SEVERITY_LABELS[severity].label}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
