'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { Invite, Role } from '#lib/db/shapes/organizations.ts';
import type { Refused } from '../../scan/sentences.ts';
import { type LoopControls, useLoop } from '../../session/use-loop.ts';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';

const AT_ONCE = 4;
const ENDS_ALL: ReadonlySet<Refused['code']> = new Set(['forbidden', 'personal-org', 'offline']);

export function useInviting(role: Role): LoopControls<Invite> {
  const { id, call } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  return useLoop((email) => call<Invite>(`/api/orgs/${org.id}/invites`, { email, role }), {
    atOnce: AT_ONCE,
    endsOnFailure: ({ code }) => ENDS_ALL.has(code),
    lasting: { name: `invites ${org.id}`, label: 'Invites', href: orgLink(org.id, 'settings', { tab: 'members' }) },
    onEnd: () =>
      void Promise.all([
        client.invalidateQueries({ queryKey: [id, org.id, 'open-invites'] }),
        client.invalidateQueries({ queryKey: [id, 'orgs'] }),
      ]),
  });
}
