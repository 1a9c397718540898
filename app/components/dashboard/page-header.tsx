import type { ReactNode } from 'react';

interface Props {
  readonly title: ReactNode;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function DashboardHeader({ title, above, actions, children }: Props) {
  return (
    <header className="mb-6 flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        {above !== undefined && <p className="mb-1 text-sm text-muted">{above}</p>}
        <h1 tabIndex={-1} className="text-xl font-semibold text-balance wrap-anywhere outline-none">
          {title}
        </h1>
        {children !== undefined && <div className="mt-2 max-w-[70ch] text-sm text-muted">{children}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-start gap-2">{actions}</div>}
    </header>
  );
}
