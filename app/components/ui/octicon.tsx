import type { Icon as Octicon } from '@primer/octicons-react';

/** The library sets a style attribute, which the content security policy refuses, unless its only entry is taken away. */
const NO_STYLE = { style: { verticalAlign: undefined } };

/** A picture beside words. Its name stands next to it, so it is hidden from screen readers. */
export function Icon({ of: Picture, className = 'shrink-0' }: { readonly of: Octicon; readonly className?: string }) {
  return <Picture className={className} {...NO_STYLE} />;
}
