import { CheckCircleFillIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { plural } from '../../numbers.ts';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';
import { CountsBySeverity } from './counts.tsx';
import { verdictOf } from './verdict-sentences.ts';

interface Props {
  readonly shared: SharedReport;
  readonly connectUrl: string | null;
}

const LOOKS = {
  bad: 'border-critical bg-critical-soft',
  fair: 'border-line bg-subtle',
  good: 'border-ok bg-ok-soft',
  none: 'border-line bg-subtle',
} as const;

const TITLES = { bad: 'text-critical', fair: 'text-fg', good: 'text-ok', none: 'text-fg' } as const;

export function Verdict({ shared, connectUrl }: Props) {
  const { tone, title, sentences } = verdictOf(shared);
  const { findings, counts } = shared.report;
  return (
    <section aria-labelledby="verdict" className={clsx('rounded-panel border p-5 sm:p-6', LOOKS[tone])}>
      <h2 id="verdict" className={clsx('flex gap-2.5 text-lg font-semibold text-balance', TITLES[tone])}>
        {tone === 'good' && <Icon of={CheckCircleFillIcon} className="mt-1.5 shrink-0" />}
        {title}
      </h2>
      {sentences.map((sentence) => (
        <p key={sentence} className="mt-2 max-w-[65ch]">
          {sentence}
        </p>
      ))}
      {connectUrl !== null && tone !== 'none' && (
        <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-2">
          <a href={connectUrl} rel="nofollow" className={buttonClass('primary', 'min-h-11 px-5')}>
            {findings === 0
              ? 'Run every check'
              : plural(findings, { one: 'See and fix the finding', other: 'See and fix all # findings' })}
          </a>
          <p className="min-w-0 flex-1 basis-64 text-sm">
            {findings === 0
              ? 'Install the GitHub App to check repository settings too, and to hear of new findings.'
              : plural(findings, {
                  one: 'Install the GitHub App to get its file, line and fix, visible only to your organization.',
                  other:
                    'Install the GitHub App to get the file, line and fix for each one, visible only to your organization.',
                })}
          </p>
        </div>
      )}
      {findings > 0 && (
        <div className="mt-5 rounded-panel border border-line bg-page p-4">
          <CountsBySeverity counts={counts} />
        </div>
      )}
    </section>
  );
}
