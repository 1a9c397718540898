'use client';

import { SyncIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { Icon } from '../ui/octicon.tsx';

const FIRST_MS = 3_000;
const LONGEST_MS = 60_000;

export function WaitForScore({ owner, name }: { readonly owner: string; readonly name: string }) {
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    let wait = FIRST_MS;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      if (!document.hidden) {
        try {
          const response = await fetch(`/api/public/actions/${owner}/${name}`, { cache: 'no-store' });
          const { status } = (await response.json()) as { readonly status?: unknown };
          if (response.ok && status !== 'pending') {
            location.reload();
            return;
          }
          setOffline(false);
        } catch {
          setOffline(true);
        }
      }
      wait = Math.min(LONGEST_MS, wait * 1.5);
      timer = setTimeout(() => void ask(), wait);
    };
    timer = setTimeout(() => void ask(), wait);
    return () => clearTimeout(timer);
  }, [owner, name]);
  return (
    <p role="status" className="needs-script mt-3 flex items-start gap-2 text-sm text-muted">
      <Icon of={SyncIcon} className="mt-[3px] shrink-0" />
      {offline ? 'The connection was lost. This page keeps trying.' : 'This page refreshes once there is a score.'}
    </p>
  );
}
