'use client';

import { formatNumber, plural } from '../../messages.ts';
import { Button } from '../ui/button.tsx';
import { useAnnouncer } from '../ui/use-announcer.ts';
import type { RowState, Run } from './use-scans.ts';

interface Props {
  readonly ids: readonly string[];
  readonly rows: ReadonlyMap<string, RowState>;
  readonly run: Run | null;
  readonly onStart: (ids: readonly string[]) => void;
  readonly onStop: () => void;
}

export function ScanBar({ ids, rows, run, onStart, onStop }: Props) {
  const busy = run !== null && run.state !== 'ended';
  const failed = ids.filter((id) => rows.get(id)?.kind === 'failed');
  const { sentence, finished } = run === null ? { sentence: '', finished: 0 } : describe(run, rows);
  const said = useAnnouncer(sentence);
  return (
    <div className="mb-4">
      <div className="flex flex-wrap items-center gap-2">
        {busy ? (
          <Button onClick={onStop} disabled={run.state === 'stopping'}>
            {run.state === 'stopping' ? 'Stopping' : 'Stop'}
          </Button>
        ) : (
          <>
            <Button variant="primary" onClick={() => onStart(ids)}>
              {plural(ids.length, { one: 'Scan the repository', other: 'Scan all # repositories' })}
            </Button>
            {failed.length > 0 && (
              <Button onClick={() => onStart(failed)}>
                {plural(failed.length, { one: 'Retry the one that failed', other: 'Retry the # that failed' })}
              </Button>
            )}
          </>
        )}
        {run !== null && <p className="text-sm text-muted tabular-nums">{sentence}</p>}
      </div>
      <div className="mt-3 h-2">
        {run !== null && (
          <progress
            aria-label="Scanned repositories"
            max={run.ids.length}
            value={finished}
            className="block h-2 w-full appearance-none overflow-hidden rounded-full border-0 bg-inset [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-inset [&::-webkit-progress-value]:bg-accent"
          />
        )}
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

function describe({ ids, state, waitSeconds }: Run, rows: ReadonlyMap<string, RowState>) {
  const kinds = ids.map((id) => rows.get(id)?.kind);
  const failed = kinds.filter((kind) => kind === 'failed').length;
  const finished = failed + kinds.filter((kind) => kind === 'done').length;
  const of = { done: formatNumber(finished), scanned: formatNumber(finished - failed) };
  const progress = plural(ids.length, { one: `${of.done} of 1 repository`, other: `${of.done} of # repositories` });
  const scanned = plural(ids.length, {
    one: `${of.scanned} of 1 repository scanned.`,
    other: `${of.scanned} of # repositories scanned.`,
  });
  if (state === 'stopping') return { finished, sentence: `${progress}. Finishing running scans.` };
  if (waitSeconds !== null) {
    const wait = plural(waitSeconds, { one: '1 second', other: '# seconds' });
    return { finished, sentence: `${progress}. Rate limit reached: continuing in ${wait}.` };
  }
  if (state === 'running') return { finished, sentence: `${progress}.` };
  const rest = ids.length - finished;
  const problems = [
    failed === 0 ? '' : ` ${formatNumber(failed)} failed.`,
    rest === 0 ? '' : ` ${formatNumber(rest)} not started.`,
  ];
  return { finished, sentence: `${scanned}${problems.join('')}` };
}
