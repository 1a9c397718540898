'use client';

import { visible } from '#lib/report/visible.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PersonPage } from '../account/person-page.tsx';
import { useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { Problem } from '../problem.tsx';
import { InviteLine } from './invite-line.tsx';
import { useMyInvites } from './use-invites.ts';

export function InvitesPage() {
  const { email, host } = useUser();
  const { data: invites, error, refetch } = useMyInvites();
  return (
    <PersonPage title="Invites">
      {error !== null && <Problem error={error} what="Your invites could not be read" onRetry={() => void refetch()} />}
      {invites === undefined && error === null && <Skeleton lines={3} />}
      {invites?.length === 0 && (
        <EmptyState title="No invite is open">
          {email === null
            ? `Your sign-in carries no email address, so nobody can invite you. Confirm one at ${host} and sign in again.`
            : `Ask an admin of the team to invite ${visible(email)}. No email is sent: the invite appears here.`}
        </EmptyState>
      )}
      {invites !== undefined && invites.length > 0 && (
        <ul className="divide-y divide-line rounded-panel border border-line text-sm">
          {invites.map((invite) => (
            <li key={invite.invite_id} className="p-4">
              <InviteLine invite={invite} />
            </li>
          ))}
        </ul>
      )}
    </PersonPage>
  );
}
