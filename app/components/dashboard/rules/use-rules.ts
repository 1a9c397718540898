'use client';

import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { CatalogRule } from '#lib/http/schemas/rules.ts';
import type { Refused } from '../../scan/sentences.ts';
import { useOrg, useUser } from '../context.tsx';
import { sendInLots } from '../lots.ts';
import { allRows, rowsOf } from '../request.ts';
import { type RuleChange, type RuleState, type Rules, ruleKey, type StoredRule, withChange } from './rule-state.ts';

export type { CatalogRule };

export const PAGE_ROWS = 50;
const MOST = 1_000;

/** The rules of the catalog, sorted by id. */
export function useCatalog(): UseQueryResult<readonly CatalogRule[]> {
  const { id, request } = useUser();
  return useQuery({
    queryKey: [id, 'catalog'],
    queryFn: async () => (await request<{ rules: readonly CatalogRule[] }>('/api/rules')).rules,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What the organization and its repositories decided about rules. */
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

/** Scanned repositories, with what their last scan did not assess. */
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
  | { readonly kind: 'running'; readonly done: number; readonly total: number; readonly waitSeconds: number | null }
  | { readonly kind: 'ended'; readonly saved: number; readonly refused: Refused | null };

export interface RuleChanges {
  readonly state: RuleState;
  readonly run: SaveRun | null;
  readonly set: (changes: readonly RuleChange[]) => void;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
}

/** Collects changes until they are saved. Each lot of 500 lands as a whole or not. */
export function useRuleChanges(stored: Rules<StoredRule>): RuleChanges {
  const { id, request } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [pending, setPending] = useState<Rules<RuleChange>>(new Map());
  const [run, setRun] = useState<SaveRun | null>(null);
  const state = useMemo(() => ({ stored, pending }), [stored, pending]);
  const busy = run?.kind === 'running';

  const set = useCallback(
    (changes: readonly RuleChange[]) => {
      if (busy) return;
      setRun(null);
      setPending((before) =>
        changes.reduce<Rules<RuleChange>>((all, each) => withChange({ stored, pending: all }, each), before),
      );
    },
    [busy, stored],
  );
  const save = useCallback(async () => {
    const changes = [...pending.values()];
    const saved: RuleChange[] = [];
    const refused = await sendInLots(changes, {
      send: (lot) => request(`/api/rule-overrides:batch?org=${org.id}`, { changes: lot }, 'PUT'),
      onProgress: (done, waitSeconds) => setRun({ kind: 'running', done, total: changes.length, waitSeconds }),
      onReply: (lot) => saved.push(...lot),
    });
    await Promise.all(
      ['rules', 'paths', 'activity'].map((part) => client.invalidateQueries({ queryKey: [id, org.id, part] })),
    );
    setPending((before) => {
      const rest = new Map(before);
      for (const { repository_id: repoId, rule_id: ruleId } of saved) rest.delete(ruleKey(repoId, ruleId));
      return rest;
    });
    setRun({ kind: 'ended', saved: saved.length, refused });
  }, [client, id, org.id, pending, request]);
  return { state, run, set, discard: useCallback(() => setPending(new Map()), []), save };
}
