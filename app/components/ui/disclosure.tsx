import { clsx } from 'clsx';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Disclosure({ title, children, className }: Props) {
  return (
    <details className={clsx('rounded-panel border border-line', className)}>
      <summary className="cursor-pointer rounded-panel px-4 py-2.5 text-sm font-medium hover:bg-subtle">
        {title}
      </summary>
      <div className="border-t border-line p-4">{children}</div>
    </details>
  );
}
