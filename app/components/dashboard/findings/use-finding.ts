'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Severity } from '../../../messages.ts';
import { useOrg, useUser } from '../context.tsx';
import { rowsOf } from '../request.ts';
import type { FindingKey, Status } from './filters.ts';

export interface LedgerEntry {
  readonly repo_id: string;
  readonly fingerprint: string;
  readonly rule_id: string;
  readonly severity: Severity;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly category: string;
  readonly title: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly fixable: boolean;
  readonly present: boolean;
  readonly status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly last_scan_id: string;
  readonly resolved_at: string | null;
  readonly returned_at: string | null;
}

export interface FindingDetail {
  readonly entry: LedgerEntry;
  readonly repository: { readonly full_name: string; readonly html_url: string; readonly removed_at: string | null };
  readonly commit: string | null;
  readonly text: {
    readonly snippet: string | null;
    readonly description: string;
    readonly recommendation: string;
    readonly end_line: number | null;
  } | null;
}

export function useFinding({ repoId, fingerprint }: FindingKey): UseQueryResult<FindingDetail | null> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'finding', repoId, fingerprint],
    queryFn: async (): Promise<FindingDetail | null> => {
      const [entry] = rowsOf(
        await db
          .from('finding_ledger')
          .select('*')
          .eq('org_id', org.id)
          .eq('repo_id', repoId)
          .eq('fingerprint', fingerprint)
          .limit(1),
      ) as unknown as LedgerEntry[];
      if (entry === undefined) return null;
      const [repositories, scans, texts] = await Promise.all([
        db.from('repositories').select('full_name, html_url, removed_at').eq('id', repoId).limit(1),
        db.from('scans').select('commit_sha').eq('id', entry.last_scan_id).limit(1),
        db
          .from('findings')
          .select('snippet, description, recommendation, end_line')
          .eq('scan_id', entry.last_scan_id)
          .eq('fingerprint', fingerprint)
          .limit(1),
      ]);
      const [repository] = rowsOf(repositories);
      if (repository === undefined) return null;
      return {
        entry,
        repository,
        commit: rowsOf(scans)[0]?.commit_sha ?? null,
        text: rowsOf(texts)[0] ?? null,
      };
    },
  });
}

export interface TriageEvent {
  readonly id: string;
  readonly from_status: Status;
  readonly to_status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
  readonly actor: string | null;
  readonly created_at: string;
}

const NEWEST = 50;

export function useHistory({ repoId, fingerprint }: FindingKey): UseQueryResult<readonly TriageEvent[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'finding', repoId, fingerprint, 'history'],
    queryFn: async () =>
      rowsOf(
        await db
          .from('triage_events')
          .select('id, from_status, to_status, reason, expires_at, actor, created_at')
          .eq('org_id', org.id)
          .eq('repo_id', repoId)
          .eq('fingerprint', fingerprint)
          .order('created_at', { ascending: false })
          .limit(NEWEST),
      ) as unknown as TriageEvent[],
  });
}

export function useMemberNames(): (userId: string | null) => string {
  const { id, db } = useUser();
  const org = useOrg();
  const { data } = useQuery({
    queryKey: [id, org.id, 'members'],
    queryFn: async () =>
      rowsOf(await db.from('org_members').select('user_id, email').eq('org_id', org.id).limit(1_000)),
  });
  return (userId) => {
    if (userId === null) return 'Chainbreak';
    const member = data?.find((each) => each.user_id === userId);
    return member === undefined ? 'a former member' : (member.email ?? 'a member');
  };
}
