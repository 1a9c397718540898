import { clsx } from 'clsx';

export type BandLetter = 'A' | 'B' | 'C' | 'D' | 'F';

const CHIP: Readonly<Record<BandLetter, string>> = {
  A: 'bg-ok-soft text-ok',
  B: 'bg-low-soft text-low',
  C: 'bg-medium-soft text-medium',
  D: 'bg-high-soft text-high',
  F: 'bg-critical-soft text-critical',
};

export const BAND_STROKE: Readonly<Record<BandLetter, string>> = {
  A: 'stroke-ok',
  B: 'stroke-low-solid',
  C: 'stroke-medium-solid',
  D: 'stroke-high-solid',
  F: 'stroke-critical',
};

export const BAND_FILL: Readonly<Record<BandLetter, string>> = {
  A: 'fill-ok-soft',
  B: 'fill-low-soft',
  C: 'fill-medium-soft',
  D: 'fill-high-soft',
  F: 'fill-critical-soft',
};

export const BAND_TEXT: Readonly<Record<BandLetter, string>> = {
  A: 'text-ok',
  B: 'text-low',
  C: 'text-medium',
  D: 'text-high',
  F: 'text-critical',
};

export function Band({ band, className }: { readonly band: BandLetter | null; readonly className?: string }) {
  return (
    <span
      className={clsx(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-control text-sm font-semibold',
        band === null ? 'border border-dashed border-control bg-inset text-muted' : CHIP[band],
        className,
      )}
    >
      <span className="sr-only">Band </span>
      {band ?? '?'}
      {band === null && <span className="sr-only">: provisional</span>}
    </span>
  );
}
