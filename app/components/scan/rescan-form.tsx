'use client';

import { SyncIcon } from '@primer/octicons-react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';
import { ScanProgress } from './lazy-progress.tsx';
import { ScanProblem } from './scan-problem.tsx';
import { useScan } from './use-scan.ts';

export function RescanForm({
  repo,
  host,
  rules,
  label = 'Scan again',
  variant = 'secondary',
}: {
  readonly repo: string;
  readonly host: string;
  readonly rules: number;
  readonly label?: string;
  readonly variant?: 'primary' | 'secondary';
}) {
  const { state, submit } = useScan();
  return (
    <form
      method="post"
      action="/scan"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget, null);
      }}
    >
      <input type="hidden" name="repo" value={repo} />
      <Button type="submit" variant={variant} aria-disabled={state.kind === 'running'}>
        <Icon of={SyncIcon} />
        {label}
      </Button>
      {state.kind !== 'idle' && (
        <div className="mt-3">
          {state.kind === 'running' ? (
            <ScanProgress state={state} host={host} rules={rules} />
          ) : (
            <ScanProblem refused={state.refused} host={host} live />
          )}
        </div>
      )}
    </form>
  );
}
