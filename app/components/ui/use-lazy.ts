'use client';

import { type ComponentType, useCallback, useEffect, useState } from 'react';

const AFTER_PAINT_MS = 500;

/**
 * Returns a component once its code is loaded: soon after the first paint, or earlier through `load`, which also
 * retries a failed load. `read` has to be the same function each time.
 */
export function useLazy<Props extends object>(
  read: () => Promise<ComponentType<Props>>,
): readonly [Component: ComponentType<Props> | null, load: () => void] {
  const [Component, setComponent] = useState<ComponentType<Props> | null>(null);
  const load = useCallback(() => {
    void read().then(
      (component) => setComponent(() => component),
      () => {},
    );
  }, [read]);
  useEffect(() => {
    const timer = setTimeout(load, AFTER_PAINT_MS);
    return () => clearTimeout(timer);
  }, [load]);
  return [Component, load];
}
