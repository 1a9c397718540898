'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';

/** Returns what leads to an address of this site; without a connection, which would end on the browser's error page, nowhere. */
export function usePush(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) => {
      if (navigator.onLine) router.push(address);
    },
    [router],
  );
}
