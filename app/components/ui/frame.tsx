import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export function Page({ children, narrow = false }: { readonly children: ReactNode; readonly narrow?: boolean }) {
  return (
    <div className="mx-auto max-w-5xl px-4 py-10 sm:px-6 sm:py-12">
      {narrow ? <div className="max-w-2xl">{children}</div> : children}
    </div>
  );
}

export function PageHeader({
  title,
  above,
  children,
}: {
  readonly title: ReactNode;
  readonly above?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <header className="mb-8">
      {above !== undefined && <p className="mb-1 text-sm text-muted">{above}</p>}
      <h1 className="text-xl font-semibold text-balance sm:text-2xl">{title}</h1>
      {children !== undefined && <div className="mt-3 max-w-[70ch] text-muted">{children}</div>}
    </header>
  );
}

export function Section({
  id,
  title,
  children,
  className,
}: {
  readonly id: string;
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <section aria-labelledby={id} className={clsx('mt-12', className)}>
      <h2 id={id} className="mb-3 text-lg font-semibold">
        {title}
      </h2>
      {children}
    </section>
  );
}
