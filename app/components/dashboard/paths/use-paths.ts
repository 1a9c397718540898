'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AttackPath, AttackPathList, RepositoryPaths } from '#lib/http/schemas/attack-paths.ts';
import { useOrg, useUser } from '../context.tsx';

const FRESH_MS = 60_000;

/** An attack path of the organization, with its repository. */
export interface FoundPath {
  readonly repoId: string;
  readonly repository: string;
  readonly path: AttackPath;
}

export function usePaths(): UseQueryResult<AttackPathList> {
  const { id, request } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'paths'],
    queryFn: () => request<AttackPathList>(`/api/attack-paths?org=${org.id}`),
    staleTime: FRESH_MS,
  });
}

/** Returns how many paths there are. */
export function usePathCount(): number | undefined {
  const { id, request } = useUser();
  const org = useOrg();
  const { data } = useQuery({
    queryKey: [id, org.id, 'paths', 'count'],
    queryFn: async () => (await request<AttackPathList>(`/api/attack-paths?org=${org.id}&limit=1`)).total_combos,
    staleTime: FRESH_MS,
  });
  return data;
}

export function useRepositoryPaths(repoId: string): UseQueryResult<RepositoryPaths> {
  const { id, request } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'paths', repoId],
    queryFn: () => request<RepositoryPaths>(`/api/repositories/${repoId}/combos`),
    staleTime: FRESH_MS,
  });
}

const SEVERITY_ORDER = ['CRITICAL', 'HIGH', 'MEDIUM'];

/** Returns the paths of all repositories, worst first. */
export function allPaths({ repos }: AttackPathList): readonly FoundPath[] {
  return repos
    .flatMap(({ repo_id, full_name, combos }) =>
      combos.map((path) => ({ repoId: repo_id, repository: full_name, path })),
    )
    .sort((a, b) => SEVERITY_ORDER.indexOf(a.path.severity) - SEVERITY_ORDER.indexOf(b.path.severity));
}

/** Returns the finding that stands for a path in its address: that of the rule that breaks it, else the first. */
export function keyFinding({ components, break_chain_rule }: AttackPath): string {
  const breaking = components.find(({ rule_id }) => rule_id === break_chain_rule) ?? components[0];
  return breaking?.finding.fingerprint ?? '';
}
