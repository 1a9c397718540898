'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';

/** Returns a function that opens an address of this site. Offline it does nothing, since the browser would show its error page. */
export function usePush(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) => {
      if (navigator.onLine) router.push(address);
    },
    [router],
  );
}
