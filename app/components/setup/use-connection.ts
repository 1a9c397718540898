'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { type BrowserDatabase, browserDb, type LastScan, readLastScans } from '#lib/db/browser.ts';
import type { RepositoryList } from '#lib/http/schemas/repositories.ts';
import type { LinkedInstallation } from '#lib/http/schemas/scm.ts';
import type { Refused } from '../scan/sentences.ts';
import type { CallApi } from '../session/call-api.ts';
import { type Arrival, forgetArrival } from './arrival.ts';

export type Link =
  | { readonly kind: 'none' | 'linking' }
  | { readonly kind: 'linked'; readonly account: string }
  | { readonly kind: 'refused'; readonly refused: Refused };

export type List =
  | { readonly kind: 'loading' }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | {
      readonly kind: 'loaded';
      readonly connected: boolean;
      readonly repositories: RepositoryList['repositories'];
      readonly lastScans: ReadonlyMap<string, LastScan> | null;
    };

interface Connection {
  readonly link: Link;
  readonly list: List;
  readonly load: () => void;
  readonly giveUpLink: () => void;
}

export function useConnection(database: BrowserDatabase, call: CallApi, arrival: Arrival | null): Connection {
  const [link, setLink] = useState<Link>({ kind: 'none' });
  const [list, setList] = useState<List>({ kind: 'loading' });
  const attempt = useRef(0);
  const pending = useRef(arrival);

  const load = useCallback(async () => {
    attempt.current += 1;
    const own = attempt.current;
    const isCurrent = () => attempt.current === own;
    setList({ kind: 'loading' });
    if (pending.current?.kind === 'installed') {
      setLink({ kind: 'linking' });
      const next = await linkInstallation(call, pending.current);
      if (!isCurrent()) return;
      if (next.kind === 'linked') {
        pending.current = null;
        forgetArrival();
      }
      setLink(next);
    }
    const { ok, refused } = await call<RepositoryList>('/api/repos');
    const lastScans = ok === undefined ? null : await readLastScans(browserDb(database)).catch(() => null);
    if (!isCurrent()) return;
    setList(ok === undefined ? { kind: 'refused', refused } : { kind: 'loaded', ...ok, lastScans });
  }, [call, database]);

  useEffect(() => {
    void load();
    return () => {
      attempt.current += 1;
    };
  }, [load]);

  const giveUpLink = () => {
    pending.current = null;
    forgetArrival();
    setLink({ kind: 'none' });
  };
  return { link, list, load: () => void load(), giveUpLink };
}

async function linkInstallation(
  call: CallApi,
  { installationId, code }: Extract<Arrival, { kind: 'installed' }>,
): Promise<Link> {
  const query = new URLSearchParams({ installation_id: installationId, ...(code !== null && { code }) });
  const { ok, refused } = await call<LinkedInstallation>(`/api/scm/callback?${query.toString()}`);
  return ok === undefined ? { kind: 'refused', refused } : { kind: 'linked', account: ok.account };
}
