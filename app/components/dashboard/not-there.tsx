import type { ReactNode } from 'react';

interface Props {
  readonly what: string;
  readonly children: ReactNode;
}

/** Shown for ids that do not exist and for those of other organizations, so that nobody learns which. */
export function NotThere({ what, children }: Props) {
  return (
    <>
      <h1
        tabIndex={-1}
        className="mb-3 text-xl font-semibold outline-none"
      >{`This ${what} is not there, or not yours`}</h1>
      <p className="max-w-[70ch] text-sm text-muted">{children}</p>
    </>
  );
}
