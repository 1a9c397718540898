'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrg, useUser } from '../context.tsx';
import { usePathsReadAt } from '../paths/use-paths.ts';
import { allRows, rowsOf } from '../request.ts';
import { isOn, ruleKey, type StoredRule } from '../rules/rule-state.ts';
import { type FindingRow, keyOf } from './use-findings.ts';

interface RulePlace {
  readonly rule_id: string;
  readonly repo_id: string | null;
}

type FindingKeys = Pick<FindingRow, 'repo_id' | 'fingerprint'>;

const NOTHING_PENDING = new Map();

/** The findings of a rule that is off stay until the next scan. */
export function useRulesOff(places: readonly RulePlace[]): (place: RulePlace) => boolean {
  const { id, db } = useUser();
  const org = useOrg();
  const rules = sorted(places.map(({ rule_id }) => rule_id));
  const repositories = sorted(places.flatMap(({ repo_id }) => repo_id ?? []));
  const columns = 'rule_id, enabled, updated_by, updated_at';
  const { data } = useQuery({
    queryKey: [id, org.id, 'rules', 'of', rules, repositories],
    queryFn: async (): Promise<readonly StoredRule[]> => {
      const [settings, overrides] = await Promise.all([
        db.from('rule_settings').select(columns).eq('org_id', org.id).in('rule_id', rules),
        repositories.length === 0
          ? []
          : allRows((from, to) =>
              db
                .from('rule_overrides')
                .select(`repo_id, ${columns}`)
                .eq('org_id', org.id)
                .in('repo_id', repositories)
                .in('rule_id', rules)
                .order('repo_id')
                .order('rule_id')
                .range(from, to),
            ),
      ]);
      return [...rowsOf(settings).map((row) => ({ repo_id: null, ...row })), ...overrides];
    },
    enabled: rules.length > 0,
  });
  return useMemo(() => {
    const stored = new Map((data ?? []).map((row) => [ruleKey(row.repo_id, row.rule_id), row]));
    return ({ rule_id, repo_id }) => !isOn({ stored, pending: NOTHING_PENDING }, repo_id, rule_id);
  }, [data]);
}

export function usePathsOf(findings: readonly FindingKeys[]): ReadonlyMap<string, number> {
  const { id, db } = useUser();
  const org = useOrg();
  // Reading the attack paths brings the stored ones up to date.
  const readAt = usePathsReadAt();
  const asked = findings.map(({ repo_id, fingerprint }) => ({ repo_id, fingerprint }));
  const { data } = useQuery({
    queryKey: [id, org.id, 'paths', 'of', asked, readAt],
    queryFn: async () =>
      rowsOf(await db.rpc('read_findings_in_paths', { p_org_id: org.id, p_findings: JSON.stringify(asked) })),
    enabled: asked.length > 0 && readAt > 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Map((data ?? []).map((row) => [keyOf(row), row.paths])), [data]);
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
