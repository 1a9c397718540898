import { SEVERITIES, SEVERITY_LABELS, type Severity } from '../../messages.ts';
import { formatNumber } from '../../numbers.ts';
import { SeverityChip } from '../domain/severity-chip.tsx';

type Counts = Readonly<Record<Severity, number>>;

const FILL: Readonly<Record<Severity, string>> = {
  HIGH: 'fill-high-solid',
  MEDIUM: 'fill-medium-solid',
  LOW: 'fill-low-solid',
  INFO: 'fill-info-solid',
};

const WIDTH = 600;
const HEIGHT = 12;
const GAP = 3;
const LEAST = 8;

export function CountsBySeverity({ counts }: { readonly counts: Counts }) {
  return (
    <div>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="mb-4 h-3 w-full overflow-hidden rounded-full"
      >
        {segmentsOf(counts).map(({ severity, x, width }) => (
          <rect key={severity} x={x} y="0" width={width} height={HEIGHT} className={FILL[severity]} />
        ))}
      </svg>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {SEVERITIES.map((severity) => (
          <div key={severity} className="flex flex-col gap-1">
            <dt>
              <SeverityChip severity={severity} />
            </dt>
            <dd className="text-xl font-semibold tabular-nums">{formatNumber(counts[severity])}</dd>
          </div>
        ))}
      </dl>
      <details className="mt-3 text-sm text-muted">
        <summary className="cursor-pointer py-1">What the severities mean</summary>
        <ul className="mt-1 space-y-1">
          {SEVERITIES.map((severity) => (
            <li key={severity}>
              <strong className="font-semibold">{SEVERITY_LABELS[severity].label}</strong>:{' '}
              {SEVERITY_LABELS[severity].meaning}.
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function segmentsOf(counts: Counts): { severity: Severity; x: number; width: number }[] {
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  const total = present.reduce((sum, severity) => sum + counts[severity], 0);
  const room = WIDTH - GAP * (present.length - 1) - LEAST * present.length;
  let x = 0;
  return present.map((severity) => {
    const segment = { severity, x, width: LEAST + (room * counts[severity]) / total };
    x += segment.width + GAP;
    return segment;
  });
}
