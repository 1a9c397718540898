import { CheckCircleIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Icon } from '../ui/octicon.tsx';

interface Props {
  readonly title: string;
  /** `ok` only if the search was complete. */
  readonly tone?: 'neutral' | 'ok';
  readonly children?: ReactNode;
}

export function EmptyState({ title, tone = 'neutral', children }: Props) {
  return (
    <div
      className={clsx(
        'rounded-panel border px-4 py-10 text-center text-sm',
        tone === 'ok' ? 'border-ok' : 'border-dashed border-control',
      )}
    >
      <p className={clsx('font-semibold', tone === 'ok' && 'text-ok')}>
        {tone === 'ok' && <Icon of={CheckCircleIcon} className="me-2" />}
        {title}
      </p>
      {children !== undefined && <div className="mx-auto mt-2 max-w-[60ch] text-balance text-muted">{children}</div>}
    </div>
  );
}
