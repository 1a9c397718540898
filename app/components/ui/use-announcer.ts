'use client';

import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 5_000;

export function useAnnouncer(sentence: string): string {
  const [said, setSaid] = useState(sentence);
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        lastAt.current = performance.now();
        setSaid(sentence);
      },
      Math.max(0, lastAt.current + PAUSE_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [sentence]);
  return said;
}
