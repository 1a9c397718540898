'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import { useUser } from './context.tsx';

const ORGS_FRESH_MS = 300_000;

/** The call creates the personal organization, which comes first. */
export function useOrgs(): UseQueryResult<readonly Organization[]> {
  const { id, request } = useUser();
  return useQuery({
    queryKey: [id, 'orgs'],
    queryFn: async () => (await request<{ orgs: readonly Organization[] }>('/api/orgs')).orgs,
    staleTime: ORGS_FRESH_MS,
  });
}
