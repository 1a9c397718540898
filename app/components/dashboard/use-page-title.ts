'use client';

import { useEffect } from 'react';
import { SITE } from '../../site.ts';

/** Sets the page's title; restores the route's own when `title` is undefined or the component unmounts. */
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
