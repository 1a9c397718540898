'use client';

import Link from 'next/link';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { CopyButton } from '../../domain/copy-button.tsx';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { MAX_NAME } from '../account/create-team.tsx';
import { AdminControls } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { Problem } from '../problem.tsx';
import { useWrite } from '../use-write.ts';

export function General() {
  const org = useOrg();
  return (
    <div className="space-y-10 text-sm">
      <section aria-labelledby="name">
        <h2 id="name" className="mb-2 text-base font-semibold">
          Name
        </h2>
        <AdminControls what="rename the organization">
          <Rename key={org.name} />
        </AdminControls>
      </section>
      <section aria-labelledby="about">
        <h2 id="about" className="mb-2 text-base font-semibold">
          About
        </h2>
        <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2">
          <dt className="text-muted">Id, for the API</dt>
          <dd className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="min-w-0 break-all">{org.id}</code>
            <CopyButton label="Copy" text={org.id} />
          </dd>
          <dt className="text-muted">Created</dt>
          <dd>
            <Time at={org.created_at} />
          </dd>
          <dt className="text-muted">Your role</dt>
          <dd>{org.role}</dd>
        </dl>
      </section>
      <section aria-labelledby="teams">
        <h2 id="teams" className="mb-2 text-base font-semibold">
          Teams
        </h2>
        <p className="text-muted">
          {org.personal && 'This organization is yours alone. '}
          <Link href="/account?new=organization" prefetch={false} className="link">
            Create a team
          </Link>{' '}
          to share repositories, findings and decisions.
        </p>
      </section>
      <section aria-labelledby="end">
        <h2 id="end" className="mb-2 text-base font-semibold">
          Deleting
        </h2>
        <p className="max-w-[70ch] text-muted">
          An organization cannot be deleted here. To stop scans, uninstall the app at the code host; to have the data
          deleted, ask the operator of this server, with the id above.
        </p>
      </section>
    </div>
  );
}

function Rename() {
  const { id, request } = useUser();
  const org = useOrg();
  const [name, setName] = useState(org.name);
  const { mutate, isPending, error } = useWrite({
    send: (wanted: string) => request(`/api/orgs/${org.id}`, { name: wanted }, 'PATCH'),
    forgets: [[id, 'orgs']],
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(name.trim());
      }}
    >
      <div className="flex flex-wrap gap-2">
        <Input
          aria-label="Name of the organization"
          required
          maxLength={MAX_NAME}
          value={name}
          onChange={({ target }) => setName(target.value)}
          className="flex-1 basis-60"
        />
        <Button type="submit" disabled={isPending || name.trim() === '' || name.trim() === org.name}>
          Rename
        </Button>
      </div>
      {error !== null && (
        <div className="mt-3">
          <Problem error={error} what={`${visible(org.name)} was not renamed`} />
        </div>
      )}
    </form>
  );
}
