'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import {
  createParser,
  type inferParserType,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs';
import type { NotAssessed } from '#lib/db/shapes/common.ts';
import { useOrg, useUser } from '../context.tsx';
import { isUuid } from '../links.ts';
import { allRows, rowsOf } from '../request.ts';

export const PAGE_ROWS = 50;

export interface RepositoryRow {
  readonly id: string;
  readonly full_name: string;
  readonly private: boolean;
  readonly archived: boolean;
  readonly html_url: string;
  readonly monitored: boolean;
  readonly monitored_by: string | null;
  readonly suspended_at: string | null;
  readonly last_scan_id: string | null;
  readonly high: number | null;
  readonly medium: number | null;
  readonly low: number | null;
  readonly info: number | null;
  readonly ruleset: string | null;
  readonly finished_at: string | null;
  readonly commit_sha: string | null;
  readonly workflow_files: number | null;
  readonly suppressed: number | null;
  readonly not_assessed: readonly NotAssessed[] | null;
}

const COLUMNS =
  'id, full_name, private, archived, html_url, monitored, monitored_by, suspended_at, last_scan_id, high, medium, low, info, ruleset, finished_at, commit_sha, workflow_files, suppressed, not_assessed';

const parseAsNever = createParser<'never'>({
  parse: (text) => (text === 'never' ? text : null),
  serialize: (value) => value,
});

export const REPOSITORY_FILTERS = {
  q: parseAsString.withDefault(''),
  scanned: parseAsNever,
  high: parseAsBoolean,
  monitored: parseAsBoolean,
  private: parseAsBoolean,
  archived: parseAsBoolean,
  sort: parseAsStringLiteral(['name', 'high', 'last-scan'] as const).withDefault('name'),
  page: parseAsInteger.withDefault(1),
};

export type RepositoryFilters = inferParserType<typeof REPOSITORY_FILTERS>;

export const NO_FILTERS = {
  q: null,
  scanned: null,
  high: null,
  monitored: null,
  private: null,
  archived: null,
  page: null,
} as const;

export function isFiltered({ q, scanned, ...flags }: RepositoryFilters): boolean {
  return (
    q.trim() !== '' ||
    scanned !== null ||
    [flags.high, flags.monitored, flags.private, flags.archived].some((flag) => flag !== null)
  );
}

export interface RepositoryPage {
  readonly rows: readonly RepositoryRow[];
  readonly total: number;
}

export function useRepositories(filters: RepositoryFilters): UseQueryResult<RepositoryPage> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', filters],
    queryFn: async (): Promise<RepositoryPage> => {
      const { q, scanned, high, monitored, private: isPrivate, archived, sort, page } = filters;
      let query = db.from('repository_overview').select(COLUMNS, { count: 'exact' }).eq('org_id', org.id);
      if (q.trim() !== '') query = query.ilike('full_name', `%${q.trim().replace(/[\\%_]/g, (each) => `\\${each}`)}%`);
      if (scanned === 'never') query = query.is('last_scan_id', null);
      if (high !== null) query = high ? query.gt('high', 0) : query.or('high.eq.0,high.is.null');
      if (monitored !== null) query = query.eq('monitored', monitored);
      if (isPrivate !== null) query = query.eq('private', isPrivate);
      if (archived !== null) query = query.eq('archived', archived);
      if (sort === 'high') query = query.order('high', { ascending: false, nullsFirst: false });
      if (sort === 'last-scan') query = query.order('finished_at', { ascending: true, nullsFirst: true });
      const from = (Math.max(1, page) - 1) * PAGE_ROWS;
      const { data, count, error, status } = await query
        .order('full_name')
        .order('id')
        .range(from, from + PAGE_ROWS - 1);
      return { rows: rowsOf({ data, error, status }) as unknown as RepositoryRow[], total: count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

export function useRepository(repoId: string): UseQueryResult<RepositoryRow | null> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'one', repoId],
    queryFn: async () => {
      if (!isUuid(repoId)) return null;
      const [row] = rowsOf(
        await db.from('repository_overview').select(COLUMNS).eq('org_id', org.id).eq('id', repoId).limit(1),
      ) as unknown as RepositoryRow[];
      return row ?? null;
    },
  });
}

export function useRepositoryIds(): UseQueryResult<readonly string[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'ids'],
    queryFn: async () => {
      const rows = await allRows((from, to) =>
        db
          .from('repository_overview')
          .select('id')
          .eq('org_id', org.id)
          .is('suspended_at', null)
          .order('full_name')
          .order('id')
          .range(from, to),
      );
      return rows.flatMap((row) => row.id ?? []);
    },
  });
}
