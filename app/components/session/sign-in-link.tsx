'use client';

import { clsx } from 'clsx';
import { useSyncExternalStore } from 'react';
import { mayHaveSession, noticeSessions } from './stored-session.ts';

const LABELS = ['Sign in', 'Dashboard'] as const;

export function SignInLink() {
  const isSignedIn = useSyncExternalStore(noticeSessions, mayHaveSession, () => false);
  const shown = LABELS[isSignedIn ? 1 : 0];
  return (
    <a
      href="/o"
      className="inline-grid justify-items-end px-2 py-2 text-sm font-semibold whitespace-nowrap text-fg no-underline hover:underline"
    >
      {LABELS.map((label) => (
        <span key={label} className={clsx('col-start-1 row-start-1', label !== shown && 'invisible')}>
          {label}
        </span>
      ))}
    </a>
  );
}
