'use client';

import { type UseMutationResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { Invite, Organization } from '#lib/db/shapes/organizations.ts';
import { useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { useWrite } from '../use-write.ts';

export function useMyInvites(): UseQueryResult<readonly Invite[]> {
  const { id, request } = useUser();
  return useQuery({
    queryKey: [id, 'invites'],
    queryFn: async () => (await request<{ invites: readonly Invite[] }>('/api/invites')).invites,
  });
}

export function useJoin(): UseMutationResult<Organization, Error, string> {
  const { id, request } = useUser();
  const router = useRouter();
  return useWrite({
    send: (inviteId: string) => request<Organization>(`/api/invites/${inviteId}/accept`, undefined, 'POST'),
    forgets: [
      [id, 'orgs'],
      [id, 'invites'],
    ],
    onDone: (org) => router.push(orgLink(org.id)),
  });
}
