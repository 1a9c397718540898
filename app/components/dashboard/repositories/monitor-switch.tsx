'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { Switch } from '../../ui/switch.tsx';
import { useOrg, useUser } from '../context.tsx';
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
  return (
    <div>
      <Switch
        label={`Scan ${visible(repository.full_name)} on each push`}
        on={pressed ?? repository.monitored}
        disabled={repository.archived}
        onChange={(on) => {
          setPressed(on);
          mutate(on);
        }}
      />
      {repository.archived && <p className="text-xs text-muted">Archived: no pushes come</p>}
      {error !== null && (
        <p role="alert" className="text-xs text-critical">
          {reasonOf(refusedBy(error))}
        </p>
      )}
    </div>
  );
}
