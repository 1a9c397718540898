import type { ReactNode } from 'react';

interface Props {
  /** One sentence. */
  readonly title: string;
  readonly children?: ReactNode;
}

/** What stands where a list would be, with at most one action. */
export function EmptyState({ title, children }: Props) {
  return (
    <div className="rounded-panel border border-dashed border-control px-4 py-10 text-center text-sm">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="mx-auto mt-2 max-w-[60ch] text-muted">{children}</div>}
    </div>
  );
}
