'use client';

import { useQuery } from '@tanstack/react-query';
import { useOrg, useUser } from '../context.tsx';
import { rowsOf } from '../request.ts';

/** Returns the name of a repository of the organization; empty until it is known, and for one of another organization. */
export function useRepositoryName(repoId: string): string {
  const { id, db } = useUser();
  const org = useOrg();
  const { data } = useQuery({
    queryKey: [id, org.id, 'repository-name', repoId],
    queryFn: async () =>
      rowsOf(await db.from('repositories').select('full_name').eq('org_id', org.id).eq('id', repoId).limit(1)),
  });
  return data?.[0]?.full_name ?? '';
}
