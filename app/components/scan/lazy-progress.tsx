'use client';

import { type ComponentProps, lazy, Suspense } from 'react';
import type { ScanProgress as Progress } from './scan-progress.tsx';

const Loaded = lazy(async () => ({ default: (await import('./scan-progress.tsx')).ScanProgress }));

export function ScanProgress(props: ComponentProps<typeof Progress>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
