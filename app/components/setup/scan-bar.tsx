'use client';

import type { ReactNode } from 'react';
import { formatNumber, plural } from '../../numbers.ts';
import type { LoopRow, LoopRun } from '../session/loop.ts';
import { finishedOf, RunBar } from '../session/run-bar.tsx';
import { Button } from '../ui/button.tsx';
import type { Scans } from './use-scans.ts';

interface Props {
  readonly ids: readonly string[];
  readonly scans: Scans;
  readonly children?: ReactNode;
}

export function ScanBar({ ids, scans, children }: Props) {
  const { rows, run, unfinished: rest, start, forgetUnfinished } = scans;
  const busy = run !== null && run.state !== 'ended';
  const failed = ids.filter((id) => rows.get(id)?.kind === 'failed');
  const left = rest.filter((id) => ids.includes(id));
  return (
    <div className="mb-4">
      {!busy && (
        <div className="mb-3 flex flex-wrap items-center gap-2">
          {left.length > 0 && (
            <Button variant="primary" onClick={() => start(left)}>
              {plural(left.length, { one: 'Scan the one that is left', other: 'Scan the # that are left' })}
            </Button>
          )}
          <Button variant={left.length > 0 || Boolean(children) ? 'secondary' : 'primary'} onClick={() => start(ids)}>
            {plural(ids.length, { one: 'Scan the repository', other: 'Scan all # repositories' })}
          </Button>
          {failed.length > 0 && (
            <Button onClick={() => start(failed)}>
              {plural(failed.length, { one: 'Retry the one that failed', other: 'Retry the # that failed' })}
            </Button>
          )}
          {left.length > 0 && run === null && <Button onClick={forgetUnfinished}>Leave them out</Button>}
          {children}
        </div>
      )}
      {run === null && left.length > 0 && (
        <p role="status" className="text-sm text-muted">
          {plural(left.length, {
            one: 'A run was interrupted before its last repository.',
            other: 'A run was interrupted: # of its repositories were not scanned.',
          })}
        </p>
      )}
      <RunBar
        label="Scanned repositories"
        run={run}
        rows={rows}
        controls={scans}
        atEnd={(ended) => endOf(ended, rows)}
      />
    </div>
  );
}

function endOf(run: LoopRun, rows: ReadonlyMap<string, LoopRow<unknown>>): string {
  const total = run.ids.length;
  const finished = finishedOf(run, rows);
  const failed = run.ids.filter((id) => rows.get(id)?.kind === 'failed').length;
  const scanned = formatNumber(finished - failed);
  const rest = total - finished;
  return [
    plural(total, { one: `${scanned} of 1 repository scanned.`, other: `${scanned} of # repositories scanned.` }),
    failed > 0 && `${formatNumber(failed)} failed.`,
    rest > 0 && `${formatNumber(rest)} not started.`,
  ]
    .filter((part) => part !== false)
    .join(' ');
}
