import { clsx } from 'clsx';
import { BAND_STROKE, BAND_TEXT, type BandLetter } from '../domain/band.tsx';

const RADIUS = 52;

interface Props {
  readonly score: number;
  readonly floor: number;
  readonly band: BandLetter | null;
}

export function ScoreRing({ score, floor, band }: Props) {
  const stroke = band === null ? 'stroke-info-solid' : BAND_STROKE[band];
  const words = band === null ? 'provisional, without a band' : `band ${band}`;
  const least = floor < score ? ` At least ${floor} if everything unknown were a risk.` : '';
  return (
    <svg role="img" aria-label={`Score ${score} of 100, ${words}.${least}`} viewBox="0 0 120 120" className="size-40">
      <g transform="rotate(-90 60 60)" fill="none" strokeWidth="11">
        <circle cx="60" cy="60" r={RADIUS} className="stroke-inset" />
        {score > 0 && <Arc length={score} className={clsx(stroke, 'opacity-45')} />}
        {floor > 0 && <Arc length={Math.min(floor, score)} className={stroke} />}
      </g>
      <text
        x="60"
        y="62"
        textAnchor="middle"
        className={clsx('fill-current text-[44px] font-semibold', band === null ? 'text-muted' : BAND_TEXT[band])}
      >
        {band ?? '?'}
      </text>
      <text x="60" y="84" textAnchor="middle" className="fill-current text-[15px] font-medium text-fg tabular-nums">
        {score} / 100
      </text>
    </svg>
  );
}

function Arc({ length, className }: { readonly length: number; readonly className: string }) {
  return (
    <circle
      cx="60"
      cy="60"
      r={RADIUS}
      pathLength="100"
      strokeDasharray={`${length} 100`}
      strokeDashoffset="0"
      className={className}
    />
  );
}
