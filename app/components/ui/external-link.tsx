import type { ReactNode } from 'react';

/** Leads to somebody else’s page, which learns nothing of where its visitor came from. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} rel="noopener noreferrer nofollow" className="link break-words">
      {children}
    </a>
  );
}
