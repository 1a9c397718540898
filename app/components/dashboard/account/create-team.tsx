'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { Problem } from '../problem.tsx';
import { useWrite } from '../use-write.ts';

export const MAX_NAME = 100;

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
}

export function CreateTeam({ open, onClose }: Props) {
  return (
    <Dialog open={open} title="Create a team" onClose={onClose}>
      <NameForm onClose={onClose} />
    </Dialog>
  );
}

function NameForm({ onClose }: Pick<Props, 'onClose'>) {
  const { id, request } = useUser();
  const router = useRouter();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const { mutate, isPending, error } = useWrite({
    send: (wanted: string) => request<Organization>('/api/orgs', { name: wanted }),
    forgets: [],
    onDone: (org) => {
      client.setQueryData<readonly Organization[]>([id, 'orgs'], (orgs = []) => [...orgs, org]);
      void client.invalidateQueries({ queryKey: [id, 'orgs'] });
      router.push(orgLink(org.id, 'settings', { tab: 'members' }));
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '' && !isPending) mutate(name.trim());
      }}
    >
      <p className="mb-4 text-sm text-muted">You become its admin. Next, invite people and connect repositories.</p>
      <Field label="Name of the team">
        <Input
          required
          data-focus
          maxLength={MAX_NAME}
          autoComplete="organization"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      {error !== null && (
        <div className="mt-4">
          <Problem error={error} what="The team was not created" />
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={isPending || name.trim() === ''}>
          Create
        </Button>
      </div>
    </form>
  );
}
