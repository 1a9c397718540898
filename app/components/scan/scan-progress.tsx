'use client';

import { CheckIcon, SyncIcon } from '@primer/octicons-react';
import { Icon } from '../ui/octicon.tsx';
import { useSeconds } from '../ui/use-seconds.ts';
import { stepSentence } from './sentences.ts';
import type { ScanState } from './use-scan.ts';

const LONG_SECONDS = 15;

interface Props {
  readonly state: Extract<ScanState, { kind: 'running' }>;
  readonly host: string;
  readonly rules: number;
}

export function ScanProgress({ state: { repo, steps, opening }, host, rules }: Props) {
  const seconds = useSeconds();
  const sentences = ['Starting.', ...steps.map((step) => stepSentence(step, host, rules))];
  if (opening) sentences.push('Opening the report.');
  return (
    <div className="rounded-panel border border-line bg-page px-4 py-3 text-sm">
      <p className="flex flex-wrap justify-between gap-x-4 font-semibold">
        <span className="wrap-anywhere">Scanning {repo}</span>
        <span aria-hidden="true" className="font-normal text-muted tabular-nums">
          {seconds} s
        </span>
      </p>
      <div role="log" aria-label="Progress">
        <ol className="mt-2 space-y-1">
          {sentences.map((sentence, index) => {
            const current = index === sentences.length - 1;
            return (
              <li key={sentence} className="flex gap-2">
                <Icon
                  of={current ? SyncIcon : CheckIcon}
                  className={current ? 'mt-[3px] shrink-0 animate-spin text-accent' : 'mt-[3px] shrink-0 text-ok'}
                />
                {sentence}
              </li>
            );
          })}
        </ol>
      </div>
      {seconds >= LONG_SECONDS && (
        <p className="mt-2 text-muted">
          This takes longer than usual. You can close the page: the result is cached for an hour, so scanning again will
          show it.
        </p>
      )}
    </div>
  );
}
