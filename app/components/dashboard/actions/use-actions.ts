'use client';

import { keepPreviousData, type UseMutationResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { ActionDetail, RankedAction } from '#lib/db/shapes/actions.ts';
import { useOrg, useUser } from '../context.tsx';
import { refusedBy, rowsOf } from '../request.ts';
import { useWrite } from '../use-write.ts';

export const PAGE_ROWS = 50;
const MOST_RANKED = 500;

export const BANDS = ['A', 'B', 'C', 'D', 'F'] as const;

export const ACTION_FILTERS = {
  q: parseAsString.withDefault(''),
  band: parseAsStringLiteral([...BANDS, 'none'] as const),
  sort: parseAsStringLiteral(['score', 'used', 'name'] as const).withDefault('score'),
  page: parseAsInteger.withDefault(1),
};

export type ActionFilters = inferParserType<typeof ACTION_FILTERS>;

export interface UsedAction {
  readonly owner: string;
  readonly name: string;
  readonly repositories: number;
  readonly scored: Pick<RankedAction, 'score' | 'band' | 'scored_at'> | null;
}

export function useActions(): UseQueryResult<readonly UsedAction[]> {
  const { id, db, request } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'actions'],
    queryFn: async () => {
      const [ranked, used] = await Promise.all([
        request<readonly RankedAction[]>(`/api/actions/ranking?org=${org.id}&limit=${MOST_RANKED}`),
        db.rpc('read_used_actions', { p_org_id: org.id }),
      ]);
      return joinActions(ranked, rowsOf(used));
    },
  });
}

export function joinActions(
  ranked: readonly RankedAction[],
  used: readonly Pick<UsedAction, 'owner' | 'name' | 'repositories'>[],
): readonly UsedAction[] {
  const known = new Set(ranked.map(keyOf));
  // A truncated ranking does not tell which other actions lack a score.
  const rest = ranked.length >= MOST_RANKED ? [] : used.filter((action) => !known.has(keyOf(action)));
  return [
    ...ranked.map(({ owner, name, score, band, scored_at, used_by_repos: repositories }) => ({
      owner,
      name,
      repositories,
      scored: { score, band, scored_at },
    })),
    ...rest.map(({ owner, name, repositories }) => ({ owner, name, repositories, scored: null })),
  ];
}

export function keyOf({ owner, name }: Pick<UsedAction, 'owner' | 'name'>): string {
  return `${owner}/${name}`.toLowerCase();
}

export function shownActions(
  actions: readonly UsedAction[],
  { q, band, sort }: Pick<ActionFilters, 'q' | 'band' | 'sort'>,
): readonly UsedAction[] {
  const wanted = q.trim().toLowerCase();
  const matching = actions.filter(
    (action) => keyOf(action).includes(wanted) && (band === null || (action.scored?.band ?? 'none') === band),
  );
  const byName = (a: UsedAction, b: UsedAction) => (keyOf(a) < keyOf(b) ? -1 : 1);
  const byUse = (a: UsedAction, b: UsedAction) => b.repositories - a.repositories;
  const by = {
    score: (a: UsedAction, b: UsedAction) => (a.scored?.score ?? 101) - (b.scored?.score ?? 101) || byUse(a, b),
    used: byUse,
    name: () => 0,
  };
  return [...matching].sort((a, b) => by[sort](a, b) || byName(a, b));
}

export function useAction(owner: string, name: string): UseQueryResult<ActionDetail | null> {
  const { id, request } = useUser();
  return useQuery({
    queryKey: [id, 'action', keyOf({ owner, name })],
    queryFn: async () => {
      try {
        return await request<ActionDetail>(`/api/public/actions/${owner}/${name}`);
      } catch (error) {
        if (refusedBy(error).code === 'not-found') return null;
        throw error;
      }
    },
  });
}

export interface ActionUse {
  readonly id: string;
  readonly repo_id: string;
  readonly path: string;
  readonly ref: string;
  readonly file: string;
  readonly line: number;
  readonly repository: { readonly full_name: string; readonly html_url: string };
  readonly scan: { readonly commit_sha: string | null } | null;
}

export function useUses(
  owner: string,
  name: string,
  page: number,
): UseQueryResult<{ readonly rows: readonly ActionUse[]; readonly total: number }> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'actions', 'uses', keyOf({ owner, name }), page],
    queryFn: async () => {
      const from = (page - 1) * PAGE_ROWS;
      const { data, count, error, status } = await db
        .from('action_uses')
        .select(
          `id, repo_id, path, ref, file, line, scan:scans!action_uses_scan_id_repo_id_org_id_fkey(commit_sha),
           repository:repositories!action_uses_repo_id_org_id_fkey!inner(full_name, html_url, removed_at)`,
          { count: 'exact' },
        )
        .eq('org_id', org.id)
        .ilike('owner', literally(owner))
        .ilike('name', literally(name))
        .is('repository.removed_at', null)
        .order('repo_id')
        .order('file')
        .order('line')
        .order('id')
        .range(from, from + PAGE_ROWS - 1);
      return { rows: rowsOf({ data, error, status }) as unknown as ActionUse[], total: count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}

export type ScoreReply = ActionDetail | { readonly status: 'pending' };

export function useScoreRequest(owner: string, name: string): UseMutationResult<ScoreReply, Error, void> {
  const { id, request } = useUser();
  const org = useOrg();
  return useWrite<ScoreReply>({
    send: () => request<ScoreReply>(`/api/public/actions/${owner}/${name}/request`, undefined, 'POST'),
    forgets: [
      [id, 'action', keyOf({ owner, name })],
      [id, org.id, 'actions'],
    ],
  });
}
