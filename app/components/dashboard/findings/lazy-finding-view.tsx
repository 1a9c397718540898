'use client';

import { useEffect } from 'react';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useLazy } from '../../ui/use-lazy.ts';
import type { FindingViewProps } from './finding-view.tsx';

export const readFindingView = () => import('./finding-view.tsx').then(({ FindingView }) => FindingView);

export function LazyFindingView(props: FindingViewProps) {
  const [View, load] = useLazy(readFindingView);
  useEffect(load, [load]);
  return View === null ? <Skeleton lines={9} /> : <View {...props} />;
}
