import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

const CONTROL =
  'min-h-10 max-w-full min-w-0 rounded-control border border-control bg-page px-3 text-sm text-fg disabled:bg-subtle disabled:text-muted';

export function Field({
  label,
  children,
  className,
}: {
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <label className={clsx('block min-w-0', className)}>
      <span className="mb-1.5 block text-sm font-semibold">{label}</span>
      {children}
    </label>
  );
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={clsx(CONTROL, 'placeholder:text-muted', className ?? 'w-full')} {...rest} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={clsx(CONTROL, 'w-full py-2 placeholder:text-muted', className)} {...rest} />;
}

export function Select(props: ComponentProps<'select'>) {
  return <select className={clsx(CONTROL, 'w-full')} {...props} />;
}
