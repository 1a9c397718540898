import { AlertIcon, ChevronDownIcon, DiamondIcon, InfoIcon, StopIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import { COMBINATION_SEVERITY_LABELS, SEVERITY_LABELS, type Severity } from '../../messages.ts';
import { formatNumber } from '../../numbers.ts';
import { Icon } from '../ui/octicon.tsx';

const LOOKS = {
  CRITICAL: { icon: StopIcon, color: 'bg-critical-soft text-critical' },
  HIGH: { icon: AlertIcon, color: 'bg-high-soft text-high' },
  MEDIUM: { icon: DiamondIcon, color: 'bg-medium-soft text-medium' },
  LOW: { icon: ChevronDownIcon, color: 'bg-low-soft text-low' },
  INFO: { icon: InfoIcon, color: 'bg-info-soft text-info' },
} as const;

const LABELS = { ...COMBINATION_SEVERITY_LABELS, ...SEVERITY_LABELS };

export function SeverityChip({
  severity,
  count,
  className,
}: {
  readonly severity: Severity | 'CRITICAL';
  readonly count?: number;
  readonly className?: string;
}) {
  const { icon, color } = LOOKS[severity];
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap',
        count === 0 ? 'bg-subtle text-muted' : color,
        className,
      )}
    >
      <Icon of={icon} />
      {count !== undefined && <span className="tabular-nums">{formatNumber(count)}</span>} {LABELS[severity].label}
    </span>
  );
}
