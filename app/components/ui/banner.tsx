import { AlertIcon, CheckIcon, InfoIcon, StopIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Icon } from './octicon.tsx';

const TONES = {
  neutral: { icon: InfoIcon, color: 'border-line bg-subtle text-fg' },
  ok: { icon: CheckIcon, color: 'border-ok bg-ok-soft text-ok' },
  warning: { icon: AlertIcon, color: 'border-medium-solid bg-medium-soft text-medium' },
  failure: { icon: StopIcon, color: 'border-critical bg-critical-soft text-critical' },
} as const;

interface Props extends Omit<ComponentProps<'div'>, 'title'> {
  readonly tone: keyof typeof TONES;
  readonly title: ReactNode;
}

export function Banner({ tone, title, children, className, ...rest }: Props) {
  const { icon, color } = TONES[tone];
  return (
    <div className={clsx('flex gap-3 rounded-panel border px-4 py-3 text-sm', color, className)} {...rest}>
      <Icon of={icon} className="mt-[3px] shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        {children !== undefined && <div className="mt-1 text-fg">{children}</div>}
      </div>
    </div>
  );
}
