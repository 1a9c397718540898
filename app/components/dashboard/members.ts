'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Role } from '#lib/db/shapes/organizations.ts';
import { useOrg, useUser } from './context.tsx';
import { rowsOf } from './request.ts';

export interface MemberRow {
  readonly user_id: string;
  readonly email: string | null;
  readonly role: Role;
  readonly joined_at: string;
}

const MOST = 1_000;

export function useMembers(): UseQueryResult<readonly MemberRow[]> {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'members', 'rows'],
    queryFn: async () =>
      rowsOf(
        await db
          .from('org_members')
          .select('user_id, email, role, joined_at')
          .eq('org_id', org.id)
          .order('joined_at')
          .order('user_id')
          .limit(MOST),
      ) as unknown as MemberRow[],
  });
}
