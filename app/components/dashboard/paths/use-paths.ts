'use client';

import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AttackPath, AttackPathList, RepositoryPaths } from '#lib/http/schemas/attack-paths.ts';
import { useOrg, useUser } from '../context.tsx';
import { isBusy, mayPass, refusedBy } from '../request.ts';

const FRESH_MS = 60_000;

const MOST_FAILURES = 3;
const MOST_WAITS = 30;

const PATIENT = {
  retry: (failures: number, error: Error) => mayPass(error) && failures < (isBusy(error) ? MOST_WAITS : MOST_FAILURES),
  retryDelay: (_failures: number, error: Error) => (refusedBy(error).wait ?? 1) * 1_000,
};

/** A large organization has megabytes of paths. */
export const WORST_PATHS = 50;

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
    ...PATIENT,
  });
}

function useCounted() {
  const { id, request } = useUser();
  const org = useOrg();
  return {
    queryKey: [id, org.id, 'paths', 'count'],
    queryFn: () => request<AttackPathList>(`/api/attack-paths?org=${org.id}&limit=${WORST_PATHS}`),
    staleTime: FRESH_MS,
    ...PATIENT,
  };
}

export function usePathCount(): number | undefined {
  return useQuery({ ...useCounted(), select: ({ total_combos }) => total_combos }).data;
}

export function usePathsReadAt(): number {
  return useQuery({ ...useCounted(), select: () => null }).dataUpdatedAt;
}

export function useWorstPaths(): UseQueryResult<AttackPathList> {
  const client = useQueryClient();
  const counted = useCounted();
  return useQuery({
    queryKey: [...counted.queryKey.slice(0, -1), 'worst'],
    queryFn: () => client.fetchQuery(counted),
    staleTime: FRESH_MS,
    retry: false,
  });
}

export function useWaitForPaths(): unknown {
  return useQuery({ ...useCounted(), select: () => null }).failureReason;
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

export function allPaths({ repos }: AttackPathList): readonly FoundPath[] {
  return repos
    .flatMap(({ repo_id, full_name, combos }) =>
      combos.map((path) => ({ repoId: repo_id, repository: full_name, path })),
    )
    .sort((a, b) => SEVERITY_ORDER.indexOf(a.path.severity) - SEVERITY_ORDER.indexOf(b.path.severity));
}

export function keyFinding({ components, break_chain_rule }: AttackPath): string {
  const breaking = components.find(({ rule_id }) => rule_id === break_chain_rule) ?? components[0];
  return breaking?.finding.fingerprint ?? '';
}
