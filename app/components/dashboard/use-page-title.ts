'use client';

import { useEffect } from 'react';
import { SITE } from '../../site.ts';

export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    const before = document.title;
    const named = `${title} · ${SITE.name}`;
    const name = () => {
      if (document.title !== named) document.title = named;
    };
    name();
    // The route's title can arrive after the page.
    const observer = new MutationObserver(name);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      if (document.title === named) document.title = before;
    };
  }, [title]);
}
