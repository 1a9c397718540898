'use client';

import { keepPreviousData, type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { BrowserDb } from '#lib/db/browser.ts';
import type { Severity } from '../../../messages.ts';
import { type Counts, countsOf } from '../charts/steps.ts';
import { useOrg, useUser } from '../context.tsx';
import { allRows, rowsOf } from '../request.ts';
import { type Filters, filtered, groupFilters, type Status, UNFILTERED, type View } from './filters.ts';

export const PAGE_ROWS = 50;

export interface FindingRow {
  readonly fingerprint: string;
  readonly repo_id: string;
  readonly full_name: string;
  readonly rule_id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly fixable: boolean;
  readonly status: Status;
  readonly reason: string | null;
  readonly expires_at: string | null;
  readonly first_seen_at: string;
}

export interface FindingGroup {
  readonly key: string;
  readonly name: string | null;
  readonly findings: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
  readonly repositories: number;
  readonly fixable: number;
}

const COLUMNS =
  'fingerprint, repo_id, rule_id, severity, title, file, line, fixable, status, reason, expires_at, first_seen_at';
const REPOSITORY = 'repository:repositories!finding_ledger_repo_id_org_id_fkey!inner(full_name, removed_at)';

const ORDERS: Readonly<Record<View['sort'], readonly (readonly [column: string, ascending: boolean])[]>> = {
  severity: [
    ['severity_rank', false],
    ['first_seen_at', false],
  ],
  newest: [['first_seen_at', false]],
  repository: [
    ['full_name', true],
    ['severity_rank', false],
  ],
};

export function keyOf({ repo_id, fingerprint }: Pick<FindingRow, 'repo_id' | 'fingerprint'>): string {
  return `${repo_id}.${fingerprint}`;
}

export function useFindings(
  filters: Filters,
  sort: View['sort'],
  page: number,
  enabled = true,
): UseQueryResult<readonly FindingRow[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'findings', 'page', filters, sort, page],
    queryFn: async () => {
      const from = (page - 1) * PAGE_ROWS;
      return rowsFrom(rowsOf(await ordered(db, org.id, filters, sort).range(from, from + PAGE_ROWS - 1)));
    },
    enabled,
    placeholderData: keepPreviousData,
  });
}

export function useFindingCount(filters: Filters): UseQueryResult<number> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'findings', 'count', filters],
    queryFn: async () => {
      const { count, error, status } = await matching(db, org.id, filters, { count: 'exact', head: true });
      return rowsOf({ data: count, error, status });
    },
    placeholderData: keepPreviousData,
  });
}

export function useOpenCounts(): UseQueryResult<Counts> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'findings', 'count', 'open'],
    queryFn: async () => countsOf(rowsOf(await db.rpc('read_open_counts', { p_org_id: org.id }))),
  });
}

export function useFindingGroups(
  by: 'rule' | 'repository',
  filters: Filters,
  enabled: boolean,
): UseQueryResult<readonly FindingGroup[]> {
  const { id, db } = useUser();
  const org = useOrg();
  const asked = groupFilters(filters);
  return useQuery({
    queryKey: [id, org.id, 'findings', 'groups', by, asked],
    queryFn: async () =>
      rowsOf(
        await db.rpc('read_finding_groups', { p_org_id: org.id, p_by: by, p_filters: asked }),
      ) as unknown as FindingGroup[],
    enabled,
    placeholderData: keepPreviousData,
  });
}

export function useOpenByRule(): ReadonlyMap<string, number> | undefined {
  const { data } = useFindingGroups('rule', UNFILTERED, true);
  return useMemo(() => data && new Map(data.map(({ key, findings }) => [key, findings])), [data]);
}

export async function readAllMatching(db: BrowserDb, orgId: string, filters: Filters): Promise<readonly FindingRow[]> {
  return rowsFrom(await allRows((from, to) => ordered(db, orgId, filters, 'severity').range(from, to)));
}

type Listed = Omit<FindingRow, 'full_name'> &
  ({ readonly full_name: string } | { readonly repository: { readonly full_name: string } });

function rowsFrom(rows: readonly unknown[]): readonly FindingRow[] {
  return (rows as readonly Listed[]).map((row) =>
    'repository' in row ? { ...row, full_name: row.repository.full_name } : row,
  );
}

function matching(
  db: BrowserDb,
  orgId: string,
  filters: Filters,
  options: { readonly count?: 'exact'; readonly head?: boolean } = {},
) {
  const current = filters.seen === 'present';
  const all = db
    .from((current ? 'current_findings' : 'finding_ledger') as 'current_findings')
    .select(`${COLUMNS}, ${current ? 'full_name' : REPOSITORY}`, options)
    .eq('org_id', orgId);
  return filtered(current ? all : all.is('repository.removed_at', null), filters);
}

function ordered(db: BrowserDb, orgId: string, filters: Filters, sort: View['sort']) {
  let query = matching(db, orgId, filters);
  for (const [column, ascending] of ORDERS[sort]) {
    // The ledger has no names; its rows stay together by repository.
    if (column !== 'full_name' || filters.seen === 'present') query = query.order(column, { ascending });
  }
  return query.order('repo_id').order('fingerprint');
}

export function showDecided(
  client: QueryClient,
  [userId, orgId]: readonly [userId: string, orgId: string],
  key: Pick<FindingRow, 'repo_id' | 'fingerprint'>,
  { status, reason, expires_at }: Pick<FindingRow, 'status' | 'reason' | 'expires_at'>,
): void {
  const decided = { status, reason, expires_at };
  client.setQueriesData<readonly FindingRow[]>({ queryKey: [userId, orgId, 'findings', 'page'] }, (rows) =>
    rows?.map((row) => (keyOf(row) === keyOf(key) ? { ...row, ...decided } : row)),
  );
  client.setQueryData<{ readonly entry: object } | null>(
    [userId, orgId, 'finding', key.repo_id, key.fingerprint],
    (found) => found && { ...found, entry: { ...found.entry, ...decided } },
  );
}

export async function forgetFindings(client: QueryClient, userId: string, orgId: string): Promise<void> {
  await Promise.all(
    ['findings', 'finding', 'paths', 'open-counts', 'repositories', 'activity'].map((part) =>
      client.invalidateQueries({ queryKey: [userId, orgId, part] }),
    ),
  );
}
