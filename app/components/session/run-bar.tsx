'use client';

import { formatNumber, formatWait, plural } from '../../numbers.ts';
import { Button } from '../ui/button.tsx';
import { useAnnouncer } from '../ui/use-announcer.ts';
import type { LoopRow, LoopRun } from './loop.ts';
import type { LoopControls } from './use-loop.ts';

interface Props {
  readonly label: string;
  readonly run: LoopRun | null;
  readonly rows: ReadonlyMap<string, LoopRow<unknown>>;
  readonly controls: Pick<LoopControls<unknown>, 'pause' | 'resume' | 'stop'>;
  readonly atEnd?: (run: LoopRun) => string;
}

export function RunBar({ label, run, rows, controls, atEnd }: Props) {
  const finished = run === null ? 0 : finishedOf(run, rows);
  const sentence = run === null ? '' : (run.state === 'ended' && atEnd?.(run)) || sentenceOf(run, finished);
  const said = useAnnouncer(sentence);
  return (
    <>
      {run !== null && (
        <div className="mb-4">
          <div className="flex min-h-8 flex-wrap items-center gap-2">
            <RunButtons state={run.state} {...controls} />
            <p className="text-sm text-muted tabular-nums">{sentence}</p>
          </div>
          <RunProgress label={label} max={run.ids.length} value={finished} />
        </div>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  );
}

type ButtonsProps = Pick<LoopControls<unknown>, 'pause' | 'resume' | 'stop'> & Pick<LoopRun, 'state'>;

export function RunButtons({ state, pause, resume, stop }: ButtonsProps) {
  if (state === 'ended') return null;
  return (
    <>
      {state === 'running' && <Button onClick={pause}>Pause</Button>}
      {state === 'paused' && <Button onClick={resume}>Continue</Button>}
      <Button onClick={stop} disabled={state === 'stopping'}>
        {state === 'stopping' ? 'Stopping' : 'Stop'}
      </Button>
    </>
  );
}

export function RunProgress({
  label,
  max,
  value,
}: {
  readonly label: string;
  readonly max: number;
  readonly value: number;
}) {
  return (
    <progress
      aria-label={label}
      max={max}
      value={value}
      className="mt-3 block h-2 w-full appearance-none overflow-hidden rounded-full border-0 bg-inset [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-inset [&::-webkit-progress-value]:bg-accent"
    />
  );
}

export function finishedOf({ ids }: LoopRun, rows: ReadonlyMap<string, LoopRow<unknown>>): number {
  return ids.filter((id) => ['done', 'failed'].includes(rows.get(id)?.kind ?? '')).length;
}

function sentenceOf(run: LoopRun, finished: number): string {
  const progress = plural(run.ids.length, {
    one: `${formatNumber(finished)} of 1 repository.`,
    other: `${formatNumber(finished)} of # repositories.`,
  });
  const why = hindranceOf(run);
  return why === null ? progress : `${progress} ${why}`;
}

export function hindranceOf({ state, wait }: Pick<LoopRun, 'state' | 'wait'>): string | null {
  if (state === 'stopping') return 'Finishing what has begun.';
  if (state === 'waiting') return 'Waiting: another run of this browser has to end first.';
  if (state === 'paused') return 'Paused.';
  if (state === 'ended' || wait === null) return null;
  const time = formatWait(wait.seconds);
  return wait.why === 'limit'
    ? `Rate limit reached: continuing in ${time}.`
    : `Continuing in ${time}: a run sends at most 90 requests a minute.`;
}
