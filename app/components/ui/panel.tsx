import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

export function Panel({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={clsx('rounded-panel border border-line bg-page p-4 sm:p-5', className)} {...rest} />;
}
