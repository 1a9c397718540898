'use client';

import { useState } from 'react';

const KEY = 'chainbreak.looks';
const SAME_LOOK_MS = 3_600_000;

interface Looks {
  readonly before: string | null;
  readonly latest: string;
}

export function useLastLook(userId: string, orgId: string): string | null {
  const [look] = useState(() => {
    const all = stored();
    const name = `${userId}.${orgId}`;
    const next = nextLook(all[name], new Date());
    localStorage.setItem(KEY, JSON.stringify({ ...all, [name]: next }));
    return next.before;
  });
  return look;
}

export function nextLook(known: Looks | undefined, now: Date): Looks {
  const latest = now.toISOString();
  if (known === undefined) return { before: null, latest };
  const isSame = now.getTime() - Date.parse(known.latest) < SAME_LOOK_MS;
  return { before: isSame ? known.before : known.latest, latest };
}

function stored(): Readonly<Record<string, Looks>> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, Looks>;
  } catch {
    return {};
  }
}
