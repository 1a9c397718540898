'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invite, Role } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../../numbers.ts';
import { CopyButton } from '../../domain/copy-button.tsx';
import { Time } from '../../domain/time.tsx';
import type { Refused } from '../../scan/sentences.ts';
import type { LoopRun } from '../../session/loop.ts';
import { hindranceOf, RunButtons, RunProgress } from '../../session/run-bar.tsx';
import type { LoopControls, LoopRow } from '../../session/use-loop.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, Textarea } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminControls } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { Problem, reasonOf } from '../problem.tsx';
import { refusedBy } from '../request.ts';
import { useWrite } from '../use-write.ts';
import { addressesIn } from './addresses.ts';
import { useInviting } from './use-inviting.ts';

export function Invites() {
  return (
    <section aria-labelledby="invites" className="mt-10 text-sm">
      <h2 id="invites" className="mb-1 text-base font-semibold">
        Invites
      </h2>
      <p className="mb-4 max-w-[70ch] text-muted">
        No email is sent: copy the link of an invite and send it yourself. It works only for the person who signs in
        with the invited address.
      </p>
      <InviteForm />
      <OpenInvites />
    </section>
  );
}

function InviteForm() {
  const [text, setText] = useState('');
  const [role, setRole] = useState<Role>('member');
  const inviting = useInviting(role);
  const { run, unfinished: rest, start, forgetUnfinished } = inviting;
  const addresses = addressesIn(text);
  const running = isRunning(run);
  return (
    <AdminControls what="invite people">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (running || addresses.length === 0) return;
          setText('');
          start(addresses);
        }}
      >
        <Field label="Email addresses, one or many">
          <Textarea
            rows={3}
            spellCheck={false}
            autoComplete="off"
            placeholder="mel@acme.example"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
        <div className="mt-3 flex flex-wrap items-end gap-3">
          <Field label="They join as" className="w-40">
            <Select value={role} onChange={({ target }) => setRole(target.value as Role)}>
              <option value="member">member</option>
              <option value="admin">admin</option>
            </Select>
          </Field>
          <Button type="submit" variant="primary" disabled={running || addresses.length === 0}>
            {addresses.length > 1 ? `Invite ${addresses.length}` : 'Invite'}
          </Button>
        </div>
      </form>
      {run !== null && <Results run={run} inviting={inviting} />}
      {!running && rest.length > 0 && (
        <p className="mt-3 flex flex-wrap items-center gap-2">
          {plural(rest.length, { one: '1 address was not invited.', other: '# addresses were not invited.' })}
          <Button onClick={() => start(rest)}>
            {plural(rest.length, { one: `Invite it as ${role}`, other: `Invite the # as ${role}` })}
          </Button>
          <Button onClick={forgetUnfinished}>Forget</Button>
        </p>
      )}
    </AdminControls>
  );
}

function isRunning(run: LoopRun | null): boolean {
  return run !== null && run.state !== 'ended';
}

function Results({ run, inviting }: { readonly run: LoopRun; readonly inviting: LoopControls<Invite> }) {
  const { rows, pause, resume, stop } = inviting;
  const running = isRunning(run);
  const invited = run.ids.filter((address) => rows.get(address)?.kind === 'done').length;
  const sentence = running
    ? [`${invited} of ${run.ids.length} invited.`, hindranceOf(run)].filter((part) => part !== null).join(' ')
    : `${plural(run.ids.length, { one: `${invited} of 1 address`, other: `${invited} of # addresses` })} invited`;
  return (
    <div className="mt-4">
      <p role="status" className="mb-2 font-semibold">
        {sentence}
      </p>
      {running && run.ids.length > 1 && (
        <div className="mb-3">
          <div className="flex flex-wrap gap-2">
            <RunButtons state={run.state} pause={pause} resume={resume} stop={stop} />
          </div>
          <RunProgress label="Invited addresses" max={run.ids.length} value={invited} />
        </div>
      )}
      <ul aria-label="Results" className="space-y-1">
        {run.ids.map((address) => {
          const row = rows.get(address);
          return (
            <li key={address} className="flex flex-wrap gap-x-2">
              <span className="min-w-0 break-all">{visible(address)}</span>
              <span className={row?.kind === 'failed' ? 'text-critical' : 'text-muted'}>{wordsFor(row)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function wordsFor(row: LoopRow<Invite> | undefined): string {
  switch (row?.kind) {
    case 'queued':
      return 'waiting';
    case 'running':
      return 'being invited';
    case 'done':
      return 'invited: copy the link below';
    case 'failed':
      return REFUSED[row.refused.code] ?? reasonOf(row.refused);
    case undefined:
      return 'not invited';
  }
}

const REFUSED: Readonly<Partial<Record<Refused['code'], string>>> = {
  'already-member': 'already a member',
  'already-invited': 'already invited: copy the link below',
  'validation-failed': 'not an email address: correct it and invite it again',
};

function OpenInvites() {
  const { id, request } = useUser();
  const org = useOrg();
  const {
    data: invites,
    error,
    refetch,
  } = useQuery({
    queryKey: [id, org.id, 'open-invites'],
    queryFn: async () => (await request<{ invites: readonly Invite[] }>(`/api/orgs/${org.id}/invites`)).invites,
  });
  if (error !== null) {
    return <Problem error={error} what="The open invites could not be read" onRetry={() => void refetch()} />;
  }
  if (invites === undefined) return <Skeleton lines={2} className="mt-6" />;
  return (
    <>
      <h3 className="mt-6 mb-2 font-semibold">Open invites</h3>
      {invites.length === 0 ? (
        <p className="text-muted">No invite is open.</p>
      ) : (
        <ul aria-label="Open invites" className="divide-y divide-line rounded-panel border border-line">
          {invites.map((invite) => (
            <li key={invite.invite_id} className="p-4">
              <OpenInvite invite={invite} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function OpenInvite({ invite }: { readonly invite: Invite }) {
  const { id, request } = useUser();
  const org = useOrg();
  const { mutate, isPending, error } = useWrite({
    send: () => request(`/api/orgs/${org.id}/invites/${invite.invite_id}`, undefined, 'DELETE'),
    forgets: [[id, org.id, 'open-invites']],
  });
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="me-auto min-w-0">
        <p className="break-all">{visible(invite.email)}</p>
        <p className="text-muted">
          As {invite.role}, invited <Time at={invite.created_at} />
        </p>
      </div>
      <CopyButton label="Copy link" text={`${location.origin}/invites/${invite.invite_id}`} />
      <Button
        disabled={org.role !== 'admin' || isPending}
        aria-label={`Revoke the invite of ${visible(invite.email)}`}
        onClick={() => mutate()}
      >
        Revoke
      </Button>
      {error !== null && (
        <p role="alert" className="w-full text-critical">
          {reasonOf(refusedBy(error))}
        </p>
      )}
    </div>
  );
}
