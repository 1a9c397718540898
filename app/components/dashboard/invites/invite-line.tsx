'use client';

import type { Invite } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { reasonOf } from '../problem.tsx';
import { refusedBy } from '../request.ts';
import { useJoin } from './use-invites.ts';

export function InviteLine({ invite }: { readonly invite: Invite }) {
  const { mutate, isPending, error } = useJoin();
  const refused = error === null ? null : refusedBy(error);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <div className="me-auto min-w-0">
        <p className="font-semibold wrap-anywhere">{visible(invite.org_name)}</p>
        <p className="text-muted">
          As {invite.role}, invited <Time at={invite.created_at} />
        </p>
      </div>
      <Button variant="primary" disabled={isPending} onClick={() => mutate(invite.invite_id)}>
        {`Join ${visible(invite.org_name)}`}
      </Button>
      {refused !== null && (
        <p role="alert" className="w-full text-critical">
          {refused.code === 'not-found'
            ? 'This invite was revoked or used. Ask the admin for another one.'
            : reasonOf(refused)}
        </p>
      )}
    </div>
  );
}
