'use client';

import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { CatalogRule } from '#lib/http/schemas/rules.ts';
import type { Refused } from '../../scan/sentences.ts';
import { Loop, type LoopRun } from '../../session/loop.ts';
import { inLots, LOT } from '../../session/lots.ts';
import { useOrg, useUser } from '../context.tsx';
import { allRows, rowsOf } from '../request.ts';
import { type RuleChange, type RuleState, type Rules, ruleKey, type StoredRule, withChange } from './rule-state.ts';

export type { CatalogRule };

export const PAGE_ROWS = 50;
const MOST = 1_000;

export function useCatalog(): UseQueryResult<readonly CatalogRule[]> {
  const { id, request } = useUser();
  return useQuery({
    queryKey: [id, 'catalog'],
    queryFn: async () => (await request<{ rules: readonly CatalogRule[] }>('/api/rules')).rules,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useStoredRules(): UseQueryResult<Rules<StoredRule>> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'rules', 'stored'],
    queryFn: async (): Promise<Rules<StoredRule>> => {
      const columns = 'rule_id, enabled, updated_by, updated_at';
      const [settings, overrides] = await Promise.all([
        db.from('rule_settings').select(columns).eq('org_id', org.id).order('rule_id').limit(MOST),
        allRows((from, to) =>
          db
            .from('rule_overrides')
            .select(`repo_id, ${columns}`)
            .eq('org_id', org.id)
            .order('repo_id')
            .order('rule_id')
            .range(from, to),
        ),
      ]);
      const rows = [...rowsOf(settings).map((row) => ({ repo_id: null, ...row })), ...overrides];
      return new Map(rows.map((row) => [ruleKey(row.repo_id, row.rule_id), row]));
    },
  });
}

export function useAssessed(): UseQueryResult<readonly { readonly id: string; readonly rules: readonly string[] }[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'assessed'],
    queryFn: async () => {
      const rows = await allRows((from, to) =>
        db
          .from('repository_overview')
          .select('id, not_assessed')
          .eq('org_id', org.id)
          .not('last_scan_id', 'is', null)
          .order('id')
          .range(from, to),
      );
      return rows.map(({ id: repoId, not_assessed: list }) => ({
        id: repoId ?? '',
        rules: ((list ?? []) as { readonly rule_id: string }[]).map(({ rule_id }) => rule_id),
      }));
    },
  });
}

export type SaveRun =
  | ({
      readonly kind: 'running';
      readonly run: LoopRun;
      readonly done: number;
      readonly total: number;
    } & LoopButtons)
  | { readonly kind: 'ended'; readonly saved: number; readonly refused: Refused | null };

type LoopButtons = Pick<Loop<unknown>, 'pause' | 'resume' | 'stop'>;

export interface RuleChanges {
  readonly state: RuleState;
  readonly run: SaveRun | null;
  readonly set: (changes: readonly RuleChange[]) => void;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
}

interface SaveEnd {
  readonly saved: number;
  readonly refused: Refused | null;
}

/** Each lot of 500 changes is saved completely or not at all. */
export function useRuleChanges(stored: Rules<StoredRule>): RuleChanges {
  const { id, call } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [pending, setPending] = useState<Rules<RuleChange>>(new Map());
  const [loop] = useState(() => new Loop<unknown>());
  const { rows, run } = useSyncExternalStore(loop.subscribe, loop.getState, loop.getState);
  const [ended, setEnded] = useState<SaveEnd | null>(null);
  const [total, setTotal] = useState(0);
  const [busy, setBusy] = useState(false);
  const state = useMemo(() => ({ stored, pending }), [stored, pending]);

  const set = useCallback(
    (changes: readonly RuleChange[]) => {
      if (busy) return;
      setEnded(null);
      setPending((before) =>
        changes.reduce<Rules<RuleChange>>((all, each) => withChange({ stored, pending: all }, each), before),
      );
    },
    [busy, stored],
  );
  const save = useCallback(async () => {
    const lots = inLots([...pending.values()]);
    setTotal(pending.size);
    setEnded(null);
    setBusy(true);
    const path = `/api/rule-overrides:batch?org=${org.id}`;
    await loop.start([...lots.keys()], (lot) => call(path, { changes: lots.get(lot) }, 'PUT'), {
      atOnce: 1,
      endsOnFailure: true,
    });
    await Promise.all(
      ['rules', 'paths', 'activity'].map((part) => client.invalidateQueries({ queryKey: [id, org.id, part] })),
    );
    const results = loop.getState().rows;
    const saved = [...lots].flatMap(([lot, changes]) => (results.get(lot)?.kind === 'done' ? changes : []));
    setPending((before) => {
      const rest = new Map(before);
      for (const { repository_id: repoId, rule_id: ruleId } of saved) rest.delete(ruleKey(repoId, ruleId));
      return rest;
    });
    const failed = [...lots.keys()].map((lot) => results.get(lot)).find((row) => row?.kind === 'failed');
    setEnded({ saved: saved.length, refused: failed?.refused ?? null });
    setBusy(false);
  }, [call, client, id, loop, org.id, pending]);

  const { pause, resume, stop } = loop;
  const shown = useMemo((): SaveRun | null => {
    if (!busy || run === null) return ended && { kind: 'ended', ...ended };
    const lots = run.ids.filter((lot) => rows.get(lot)?.kind === 'done').length;
    return { kind: 'running', run, done: Math.min(lots * LOT, total), total, pause, resume, stop };
  }, [busy, ended, pause, resume, rows, run, stop, total]);
  return { state, run: shown, set, discard: useCallback(() => setPending(new Map()), []), save };
}
