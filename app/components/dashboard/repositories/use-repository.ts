'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useOrg, useUser } from '../context.tsx';
import { isUuid } from '../links.ts';
import { rowsOf } from '../request.ts';
import { useAllRows } from '../use-all-rows.ts';

export function useRepositoryName(repoId: string): UseQueryResult<string | null> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repository-name', repoId],
    queryFn: async () => {
      if (!isUuid(repoId)) return null;
      const rows = rowsOf(
        await db.from('repositories').select('full_name').eq('org_id', org.id).eq('id', repoId).limit(1),
      );
      return rows[0]?.full_name ?? null;
    },
  });
}

export function useRepositoryChoices(): readonly { readonly id: string; readonly full_name: string }[] {
  const { data = [] } = useAllRows(['repository-choices'], (db, orgId) =>
    db
      .from('repositories')
      .select('id, full_name')
      .eq('org_id', orgId)
      .is('removed_at', null)
      .order('full_name')
      .order('id'),
  );
  return data;
}
