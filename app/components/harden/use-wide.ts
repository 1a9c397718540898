'use client';

import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 48rem)';

/** Whether two columns of code fit beside each other. Only for what is drawn after the page stands. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(WIDE);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(WIDE).matches,
    () => false,
  );
}
