'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { Switch } from '../../ui/switch.tsx';
import { useOrg, useUser } from '../context.tsx';
import { useMemberNames } from '../findings/use-finding.ts';
import { reasonOf } from '../problem.tsx';
import { refusedBy } from '../request.ts';
import type { RepositoryRow } from './use-repositories.ts';

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
      <Switch
        label={`Scan ${visible(repository.full_name)} on each push`}
        on={on}
        disabled={repository.archived}
        onChange={(next) => {
          setPressed(next);
          mutate(next);
        }}
      />
      {on && <Notified userId={repository.monitored_by} onTakeOver={() => mutate(true)} />}
      {repository.archived && <p className="max-w-24 text-xs text-muted">No pushes come</p>}
      {error !== null && (
        <p role="alert" className="text-xs text-critical">
          {reasonOf(refusedBy(error))}
        </p>
      )}
    </div>
  );
}

interface NotifiedProps {
  readonly userId: string | null;
  readonly onTakeOver: () => void;
}

function Notified({ userId, onTakeOver }: NotifiedProps) {
  const { id } = useUser();
  const { personal } = useOrg();
  const nameOf = useMemberNames();
  if (personal || userId === null) return null;
  if (userId === id) return <p className="text-xs text-muted">Notifies you</p>;
  return (
    <p className="text-xs text-muted">
      <span className="wrap-anywhere">Notifies {visible(nameOf(userId))}</span>{' '}
      <button type="button" className="link min-h-6 cursor-pointer" onClick={onTakeOver}>
        Notify me instead
      </button>
    </p>
  );
}
