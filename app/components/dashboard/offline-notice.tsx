'use client';

import { AlertIcon } from '@primer/octicons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Icon } from '../ui/octicon.tsx';

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** Offline, a link would replace the page with the browser's error page, so it does nothing. */
function stay(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link !== null && link.origin === location.origin) event.preventDefault();
}

export function OfflineNotice() {
  const online = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  useEffect(() => {
    if (online) return;
    document.addEventListener('click', stay, { capture: true });
    return () => document.removeEventListener('click', stay, { capture: true });
  }, [online]);
  return (
    <div role="status">
      {!online && (
        <p className="flex gap-2 border-t border-medium-solid bg-medium-soft px-4 py-2 text-sm font-medium text-medium sm:px-6">
          <Icon of={AlertIcon} className="mt-[3px] shrink-0" />
          You are offline. This page stays as it is; links and changes work again once you are connected.
        </p>
      )}
    </div>
  );
}
