'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Role } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { AskAdmin } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { type MemberRow, useMembers } from '../members.ts';
import { Problem, reasonOf } from '../problem.tsx';
import { refusedBy } from '../request.ts';
import { useWrite } from '../use-write.ts';
import { Invites } from './invites.tsx';

export function Members() {
  const org = useOrg();
  const { isPending } = useMembers();
  if (org.personal) {
    return (
      <EmptyState title="A personal organization has one member">
        Nobody can join or leave it. To work together,{' '}
        <Link href="/account?new=organization" prefetch={false} className="link">
          create a team
        </Link>
        .
      </EmptyState>
    );
  }
  return (
    <>
      <MemberTable />
      {!isPending && <Invites />}
    </>
  );
}

function MemberTable() {
  const { id } = useUser();
  const org = useOrg();
  const { data: members, error, refetch } = useMembers();
  if (error !== null) {
    return <Problem error={error} what="The members could not be read" onRetry={() => void refetch()} />;
  }
  if (members === undefined) return <Skeleton lines={5} />;
  const admins = members.filter(({ role }) => role === 'admin');
  return (
    <div>
      <h2 className="mb-2 text-base font-semibold">Members</h2>
      {org.role !== 'admin' && <AskAdmin what="change roles or remove others" />}
      {admins.length === 1 && admins[0]?.user_id === id && (
        <p className="mb-4 text-sm text-muted">
          You are the only admin: make another member an admin before you leave or become a member.
        </p>
      )}
      <Table caption="Members">
        <thead>
          <tr>
            <HeaderCell>Person</HeaderCell>
            <HeaderCell className="max-md:hidden">Joined</HeaderCell>
            <HeaderCell>Role</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberLine
              key={member.user_id}
              member={member}
              isLastAdmin={admins.length === 1 && member.role === 'admin'}
            />
          ))}
        </tbody>
      </Table>
    </div>
  );
}

function MemberLine({ member, isLastAdmin }: { readonly member: MemberRow; readonly isLastAdmin: boolean }) {
  const { id, request } = useUser();
  const org = useOrg();
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const isSelf = member.user_id === id;
  const address = `/api/orgs/${org.id}/members/${member.user_id}`;
  const forgets = [[id, org.id, 'members'], [id, org.id, 'admins'], ...(isSelf ? [[id, 'orgs']] : [])];
  const change = useWrite({ send: (role: Role) => request(`${address}/role`, { role }, 'PUT'), forgets });
  const remove = useWrite({
    send: () => request(address, undefined, 'DELETE'),
    forgets,
    onDone: () => {
      if (isSelf) router.replace('/account');
    },
  });
  const error = change.error ?? remove.error;
  const name = member.email === null ? 'A member without an address' : visible(member.email);
  const role = change.isPending ? change.variables : member.role;
  return (
    <Row>
      <HeaderCell scope="row" className="align-top max-md:w-full">
        <span className="wrap-anywhere">{name}</span>
        {isSelf && <span className="font-normal text-muted"> (you)</span>}
        {error !== null && (
          <p role="alert" className="font-normal text-critical">
            {reasonOf(refusedBy(error))}
          </p>
        )}
      </HeaderCell>
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        <Time at={member.joined_at} />
      </Cell>
      <Cell>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <div className="w-32">
            <Select
              aria-label={`Role of ${name}`}
              value={role}
              disabled={org.role !== 'admin' || isLastAdmin}
              onChange={({ target }) => change.mutate(target.value as Role)}
            >
              <option value="admin">admin</option>
              <option value="member">member</option>
            </Select>
          </div>
          <Button
            aria-label={isSelf ? 'Leave' : `Remove ${name}`}
            disabled={isLastAdmin || remove.isPending || (org.role !== 'admin' && !isSelf)}
            onClick={() => setAsking(true)}
          >
            {isSelf ? 'Leave' : 'Remove'}
          </Button>
        </div>
        <Dialog
          open={asking}
          title={isSelf ? `Leave ${visible(org.name)}?` : `Remove ${name}?`}
          onClose={() => setAsking(false)}
        >
          <p className="mb-5 text-sm">
            {isSelf
              ? 'You no longer see its repositories and findings. An admin can invite you again.'
              : 'They no longer see the repositories and findings of this organization. What they decided stays.'}
          </p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button
              variant="primary"
              onClick={() => {
                setAsking(false);
                remove.mutate();
              }}
            >
              {isSelf ? 'Leave' : 'Remove'}
            </Button>
          </div>
        </Dialog>
      </Cell>
    </Row>
  );
}
