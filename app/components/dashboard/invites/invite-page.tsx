'use client';

import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PersonPage } from '../account/person-page.tsx';
import { useUser } from '../context.tsx';
import { Problem } from '../problem.tsx';
import { InviteLine } from './invite-line.tsx';
import { useMyInvites } from './use-invites.ts';

/** The page that an invite link opens. It never reveals whose invite it is. */
export function InvitePage({ inviteId }: { readonly inviteId: string }) {
  const { name, email, signOut } = useUser();
  const { data: invites, error, refetch } = useMyInvites();
  const invite = invites?.find(({ invite_id: id }) => id === inviteId);
  return (
    <PersonPage title="Invite">
      {error !== null && <Problem error={error} what="The invite could not be read" onRetry={() => void refetch()} />}
      {invites === undefined && error === null && <Skeleton lines={3} />}
      {invite !== undefined && (
        <Panel className="text-sm">
          <InviteLine invite={invite} />
        </Panel>
      )}
      {invites !== undefined && invite === undefined && (
        <Panel className="space-y-4 text-sm">
          <p>This invite is for another address, was revoked or used.</p>
          <p className="wrap-anywhere">
            You are signed in as <strong className="font-semibold">{visible(email ?? name)}</strong>: ask the admin to
            invite that address, or sign in with another account.
          </p>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <Button onClick={signOut}>Sign in with another account</Button>
            <Link href="/o" prefetch={false} className="link">
              Open your organizations
            </Link>
          </div>
        </Panel>
      )}
    </PersonPage>
  );
}
