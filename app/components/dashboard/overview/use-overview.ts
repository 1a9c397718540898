'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Severity } from '../../../messages.ts';
import { type Counts, countsOf, type Point } from '../charts/steps.ts';
import { useOrg, useUser } from '../context.tsx';
import { rowsOf } from '../request.ts';

const DAY_MS = 86_400_000;
const CHART_FRESH_MS = 600_000;
const KEY_ROWS = 1_000;
export const TREND_DAYS = 90;
export const OLD_SCAN_DAYS = 7;

export function ageOfOldScan(finishedAt: string): string | null {
  const days = Math.floor((Date.now() - Date.parse(finishedAt)) / DAY_MS);
  return days < OLD_SCAN_DAYS ? null : `${days} days ago`;
}

export function useTrend(): UseQueryResult<readonly Point[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'trend'],
    queryFn: async () =>
      rowsOf(await db.rpc('read_open_over_time', { p_org_id: org.id, p_days: TREND_DAYS })).map(({ day, ...sums }) => ({
        at: Date.parse(day),
        counts: countsOf([sums]),
      })),
    staleTime: CHART_FRESH_MS,
  });
}

export interface ScanCoverage {
  readonly repositories: number;
  readonly never: number;
  readonly old: number;
}

export function useScanCoverage(): UseQueryResult<ScanCoverage> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'count', 'coverage'],
    queryFn: async (): Promise<ScanCoverage> => {
      const all = () =>
        db.from('repository_overview').select('id', { count: 'exact', head: true }).eq('org_id', org.id);
      const oldest = new Date(Date.now() - OLD_SCAN_DAYS * DAY_MS).toISOString();
      const [repositories = 0, never = 0, old = 0] = await Promise.all(
        [all(), all().is('last_scan_id', null), all().lt('finished_at', oldest)].map(countOf),
      );
      return { repositories, never, old };
    },
  });
}

export function useIsFirstUse(): boolean | undefined {
  const { data, isPending } = useScanCoverage();
  if (isPending) return undefined;
  return data !== undefined && data.repositories === data.never;
}

export interface Fixes {
  readonly prs_opened: number;
  readonly prs_merged: number;
  readonly prs_verified: number;
}

export function useFixes(): UseQueryResult<Fixes> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'fixes', 'count'],
    queryFn: async (): Promise<Fixes> => {
      const all = () => db.from('fix_pull_requests').select('id', { count: 'exact', head: true }).eq('org_id', org.id);
      const [opened = 0, merged = 0, verified = 0] = await Promise.all(
        [all(), all().not('merged_at', 'is', null), all().not('verified_at', 'is', null)].map(countOf),
      );
      return { prs_opened: opened, prs_merged: merged, prs_verified: verified };
    },
  });
}

export interface NewFinding {
  readonly repo_id: string;
  readonly fingerprint: string;
  readonly full_name: string;
  readonly severity: Severity;
  readonly title: string;
  readonly file: string | null;
  readonly line: number | null;
}

export interface Since {
  readonly findings: readonly NewFinding[];
  readonly newFindingKeys: ReadonlySet<string>;
  readonly pushScans: number;
}

const SHOWN = 5;

export function useSince(since: string | null): UseQueryResult<Since> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'since', since],
    enabled: since !== null,
    queryFn: async (): Promise<Since> => {
      const fresh = (columns: string) =>
        db
          .from('current_findings')
          .select(columns)
          .eq('org_id', org.id)
          .eq('status', 'open')
          .gt('first_seen_at', since ?? '')
          .order('severity_rank', { ascending: false })
          .order('first_seen_at', { ascending: false })
          .order('repo_id')
          .order('fingerprint');
      const scans = db
        .from('scans')
        .select('id', { count: 'exact', head: true })
        .eq('org_id', org.id)
        .eq('trigger', 'push')
        .gt('finished_at', since ?? '');
      const [worst, keys, pushScans] = await Promise.all([
        fresh('repo_id, fingerprint, full_name, severity, title, file, line').limit(SHOWN),
        fresh('repo_id, fingerprint').limit(KEY_ROWS),
        countOf(scans),
      ]);
      return {
        findings: rowsOf(worst) as unknown as NewFinding[],
        newFindingKeys: new Set(
          (rowsOf(keys) as unknown as NewFinding[]).map(({ repo_id, fingerprint }) => `${repo_id}.${fingerprint}`),
        ),
        pushScans,
      };
    },
  });
}

export function useNewCounts(since: string | null): UseQueryResult<Counts> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'since', since, 'severities'],
    enabled: since !== null,
    queryFn: async () => {
      const filters = JSON.stringify({ status: ['open'], since });
      const asked = { p_org_id: org.id, p_by: 'category', p_filters: filters };
      return countsOf(rowsOf(await db.rpc('read_finding_groups', asked)));
    },
  });
}

interface CountAnswer {
  readonly count: number | null;
  readonly error: { readonly message: string } | null;
  readonly status: number;
}

async function countOf(answer: PromiseLike<CountAnswer>): Promise<number> {
  const { count, error, status } = await answer;
  return rowsOf({ data: count, error, status });
}
