'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { type BrowserDatabase, browserDb, type LastScan, readConnections, readLastScans } from '#lib/db/browser.ts';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import type { RepositoryList } from '#lib/http/schemas/repositories.ts';
import type { LinkedInstallation } from '#lib/http/schemas/scm.ts';
import type { Refused } from '../scan/sentences.ts';
import type { CallApi } from '../session/call-api.ts';
import { lastOrg, rememberOrg } from '../session/last-org.ts';
import { type Arrival, forgetArrival, type Installed } from './arrival.ts';
import { orgOfState } from './install-link.ts';

export type Link =
  | { readonly kind: 'none' | 'asking' | 'linking' }
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
      readonly suspended: readonly string[];
    };

export interface FirstSteps {
  readonly orgs: readonly Organization[];
  readonly org: Organization | null;
  readonly link: Link;
  readonly list: List;
  readonly load: () => void;
  readonly giveUpLink: () => void;
  readonly open: (org: Organization) => void;
  readonly connectTo: (org: Organization) => void;
}

export function useConnection(database: BrowserDatabase, call: CallApi, arrival: Arrival | null): FirstSteps {
  const [orgs, setOrgs] = useState<readonly Organization[]>([]);
  const [org, setOrg] = useState<Organization | null>(null);
  const [link, setLink] = useState<Link>({ kind: 'none' });
  const [list, setList] = useState<List>({ kind: 'loading' });
  const attempt = useRef(0);
  const pending = useRef(arrival?.kind === 'installed' ? arrival : null);

  const settle = useCallback((next: Link) => {
    if (next.kind === 'linked') {
      pending.current = null;
      forgetArrival();
    }
    setLink(next);
  }, []);

  const show = useCallback(
    async (shown: Organization, isCurrent: () => boolean) => {
      rememberOrg(shown.id);
      setOrg(shown);
      setList({ kind: 'loading' });
      const db = browserDb(database);
      const scans = readLastScans(db, shown.id).catch(() => null);
      const { ok, refused } = await call<RepositoryList>(`/api/repos?org=${shown.id}`);
      if (ok === undefined) {
        if (isCurrent()) setList({ kind: 'refused', refused });
        return;
      }
      const [lastScans, known] = await Promise.all([scans, readConnections(db).catch(() => [])]);
      if (!isCurrent()) return;
      const suspended = known.flatMap(({ orgId, account, suspended: is }) => (is && orgId === shown.id ? account : []));
      setList({ kind: 'loaded', ...ok, lastScans, suspended });
    },
    [call, database],
  );

  const begin = useCallback(() => {
    attempt.current += 1;
    const own = attempt.current;
    return () => attempt.current === own;
  }, []);

  const linkTo = useCallback(
    async (target: Organization, installed: Installed, isCurrent: () => boolean) => {
      setOrg(target);
      setLink({ kind: 'linking' });
      const next = await linkInstallation(call, target.id, installed);
      if (!isCurrent()) return;
      settle(next);
      await show(target, isCurrent);
    },
    [call, settle, show],
  );

  const load = useCallback(async () => {
    const isCurrent = begin();
    setList({ kind: 'loading' });
    const { ok, refused } = await call<{ readonly orgs: readonly Organization[] }>('/api/orgs');
    if (!isCurrent()) return;
    if (ok === undefined) return setList({ kind: 'refused', refused });
    setOrgs(ok.orgs);
    const last = lastOrg(ok.orgs);
    if (last === undefined) return setList({ kind: 'refused', refused: { code: 'internal' } });
    const installed = pending.current;
    if (installed === null) return show(last, isCurrent);
    if (!/^\d+$/.test(installed.installationId)) {
      setLink({ kind: 'refused', refused: { code: 'validation-failed' } });
      return show(last, isCurrent);
    }
    const connections = await readConnections(browserDb(database)).catch(() => []);
    if (!isCurrent()) return;
    const linked = connections.filter(({ installationId }) => installationId === installed.installationId);
    const has = ({ id }: Organization) => linked.some(({ orgId }) => orgId === id);
    const wanted = ok.orgs.find(({ id, role }) => id === orgOfState(installed.state) && role === 'admin');
    const [first] = linked;
    if (first !== undefined && (wanted === undefined || has(wanted))) {
      settle({ kind: 'linked', account: first.account });
      return show(wanted ?? [last, ...ok.orgs].find(has) ?? last, isCurrent);
    }
    if (wanted !== undefined) return linkTo(wanted, installed, isCurrent);
    setLink({ kind: 'asking' });
    setList({ kind: 'loading' });
  }, [begin, call, database, linkTo, settle, show]);

  useEffect(() => {
    void load();
    return () => {
      attempt.current += 1;
    };
  }, [load]);

  const connectTo = (target: Organization) => {
    setOrgs((before) => (before.some(({ id }) => id === target.id) ? before : [...before, target]));
    if (pending.current !== null) void linkTo(target, pending.current, begin());
  };
  const giveUpLink = () => {
    pending.current = null;
    forgetArrival();
    setLink({ kind: 'none' });
    const shown = org ?? lastOrg(orgs);
    if (shown !== undefined && list.kind !== 'loaded') void show(shown, begin());
  };
  return {
    orgs,
    org,
    link,
    list,
    load: () => (link.kind === 'refused' && org !== null ? connectTo(org) : void load()),
    giveUpLink,
    open: (chosen) => void show(chosen, begin()),
    connectTo,
  };
}

async function linkInstallation(call: CallApi, orgId: string, { installationId, code }: Installed): Promise<Link> {
  const query = new URLSearchParams({ installation_id: installationId, org: orgId, ...(code !== null && { code }) });
  const { ok, refused } = await call<LinkedInstallation>(`/api/scm/callback?${query.toString()}`);
  return ok === undefined ? { kind: 'refused', refused } : { kind: 'linked', account: ok.account };
}
