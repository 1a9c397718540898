import type { Icon as Octicon } from '@primer/octicons-react';

/** Octicons set a style attribute, which the content security policy refuses. */
const NO_STYLE = { style: { verticalAlign: undefined } };

export function Icon({ of: Picture, className = 'shrink-0' }: { readonly of: Octicon; readonly className?: string }) {
  return <Picture className={className} {...NO_STYLE} />;
}
