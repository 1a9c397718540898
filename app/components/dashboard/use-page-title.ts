'use client';

import { useEffect } from 'react';
import { SITE } from '../../site.ts';

/** Names the page after what it shows; the route's own title returns with `undefined` and when the component goes. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    const named = `${title} · ${SITE.name}`;
    let ofRoute = '';
    const name = () => {
      // The route's title can arrive after the page, and is missing until then.
      if (document.title === '' || document.title === named) return;
      ofRoute = document.title;
      document.title = named;
    };
    name();
    const observer = new MutationObserver(name);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      if (document.title === named && ofRoute !== '') document.title = ofRoute;
    };
  }, [title]);
}
