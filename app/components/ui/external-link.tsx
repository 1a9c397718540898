import type { ReactNode } from 'react';

export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} rel="noopener noreferrer nofollow" className="link wrap-anywhere">
      {children}
    </a>
  );
}
