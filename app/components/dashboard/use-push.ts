'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';

export function usePush(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) => {
      if (navigator.onLine) router.push(address);
    },
    [router],
  );
}
