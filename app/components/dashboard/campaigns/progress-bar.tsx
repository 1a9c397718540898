'use client';

import { formatNumber, plural } from '../../../messages.ts';
import type { LoopRow, LoopRun } from '../../session/use-loop.ts';
import { Button } from '../../ui/button.tsx';
import { useAnnouncer } from '../../ui/use-announcer.ts';

interface Props {
  readonly label: string;
  readonly rows: ReadonlyMap<string, LoopRow<unknown>>;
  readonly run: LoopRun;
  readonly onStop: () => void;
}

/** How far a loop over repositories is. */
export function ProgressBar({ label, rows, run, onStop }: Props) {
  const { ids, state, waitSeconds } = run;
  const finished = ids.filter((id) => ['done', 'failed'].includes(rows.get(id)?.kind ?? '')).length;
  const progress = plural(ids.length, {
    one: `${formatNumber(finished)} of 1 repository`,
    other: `${formatNumber(finished)} of # repositories`,
  });
  const sentence =
    state === 'stopping'
      ? `${progress}. Finishing what has begun.`
      : waitSeconds !== null
        ? `${progress}. Rate limit reached: continuing in ${plural(waitSeconds, { one: '1 second', other: '# seconds' })}.`
        : `${progress}.`;
  const said = useAnnouncer(sentence);
  return (
    <div className="mb-4">
      <div className="flex flex-wrap items-center gap-3">
        {state !== 'ended' && (
          <Button onClick={onStop} disabled={state === 'stopping'}>
            {state === 'stopping' ? 'Stopping' : 'Stop'}
          </Button>
        )}
        <p className="text-sm text-muted tabular-nums">{sentence}</p>
      </div>
      <progress
        aria-label={label}
        max={ids.length}
        value={finished}
        className="mt-3 block h-2 w-full appearance-none overflow-hidden rounded-full border-0 bg-inset [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-inset [&::-webkit-progress-value]:bg-accent"
      />
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}
