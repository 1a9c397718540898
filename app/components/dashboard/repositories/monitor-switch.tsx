'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { useOrg, useUser } from '../context.tsx';
import { reasonOf } from '../problem.tsx';
import { refusedBy } from '../request.ts';
import type { RepositoryRow } from './use-repositories.ts';

/** Switches scans by push; shows the new state at once, and the old one again when the change failed. */
export function MonitorSwitch({ repository }: { readonly repository: RepositoryRow }) {
  const { id, request } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [pressed, setPressed] = useState<boolean | null>(null);
  const { mutate, error } = useMutation({
    mutationFn: (monitored: boolean) => request(`/api/repositories/${repository.id}/monitor`, { monitored }, 'PUT'),
    onSettled: async (_reply, _error, monitored) => {
      await client.invalidateQueries({ queryKey: [id, org.id, 'repositories'] });
      setPressed((now) => (now === monitored ? null : now));
    },
  });
  const on = pressed ?? repository.monitored;
  return (
    <div>
      <label className="inline-flex min-h-6 cursor-pointer items-center gap-2 text-sm has-disabled:cursor-default has-disabled:text-muted">
        <input
          type="checkbox"
          role="switch"
          aria-checked={on}
          checked={on}
          disabled={repository.archived}
          onChange={({ target }) => {
            setPressed(target.checked);
            mutate(target.checked);
          }}
          className="size-4 accent-accent"
        />
        <span className="sr-only">{`Scan ${visible(repository.full_name)} on each push`}</span>
        <span aria-hidden="true">{on ? 'On' : 'Off'}</span>
      </label>
      {repository.archived && <p className="text-xs text-muted">Archived: no pushes come</p>}
      {error !== null && (
        <p role="alert" className="text-xs text-critical">
          {reasonOf(refusedBy(error))}
        </p>
      )}
    </div>
  );
}
