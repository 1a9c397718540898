import type { ReactNode } from 'react';

/** Links to another site without sending a referrer. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} rel="noopener noreferrer nofollow" className="link break-words">
      {children}
    </a>
  );
}
