'use client';

import { visible } from '#lib/report/visible.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { CopyButton } from '../../domain/copy-button.tsx';
import { hindranceOf, RunButtons, RunProgress } from '../../session/run-bar.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { useAnnouncer } from '../../ui/use-announcer.ts';
import { reasonOf } from '../problem.tsx';
import { toCsv, toMarkdown } from './copied.ts';
import { STATUSES, type Status } from './filters.ts';
import { STATUS_TEXTS } from './status.ts';
import type { FindingRow } from './use-findings.ts';
import type { TriageRun } from './use-triage.ts';

interface BarProps {
  readonly selected: readonly FindingRow[];
  readonly matching: number | undefined;
  readonly allMatching: boolean;
  readonly busy: boolean;
  readonly shortcuts: boolean;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
  readonly onDecide: (status: Status) => void;
}

export function TriageBar({
  selected,
  matching,
  allMatching,
  busy,
  shortcuts,
  onSelectAll,
  onClear,
  onDecide,
}: BarProps) {
  const count = selected.length;
  if (count === 0) return null;
  const offered = STATUSES.filter((status) => selected.some((row) => row.status !== status));
  return (
    <section
      aria-label="Selected findings"
      className="sticky bottom-0 z-10 mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-panel border border-line bg-page p-3 shadow-lg"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="text-sm font-semibold tabular-nums">
          {plural(count, { one: '1 selected', other: '# selected' })}
        </p>
        {!allMatching && matching !== undefined && matching > count && (
          <button type="button" className="link min-h-6 cursor-pointer text-sm" onClick={onSelectAll}>
            {`Select all ${formatNumber(matching)} that match`}
          </button>
        )}
        <button type="button" className="link min-h-6 cursor-pointer text-sm" onClick={onClear}>
          Clear selection
        </button>
        <span className="flex gap-2 max-md:hidden">
          <CopyButton label="CSV" of="of the selected findings" text={() => toCsv(selected)} className="px-3" />
          <CopyButton
            label="Markdown"
            of="of the selected findings"
            text={() => toMarkdown(selected)}
            className="px-3"
          />
        </span>
      </div>
      <div className="flex flex-wrap gap-2 max-md:grid max-md:w-full max-md:grid-cols-2">
        {offered.map((status) => (
          <Button key={status} disabled={busy} className="px-3" onClick={() => onDecide(status)}>
            {STATUS_TEXTS[status].shortVerb ?? STATUS_TEXTS[status].verb}
            {shortcuts && <kbd className="text-xs text-muted max-md:hidden">{STATUS_TEXTS[status].key}</kbd>}
          </Button>
        ))}
      </div>
    </section>
  );
}

export function TriageResult({
  run,
  undoKey = false,
  onUndo,
  onClose,
}: {
  readonly run: TriageRun | null;
  readonly undoKey?: boolean;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}) {
  const sentence = run === null ? '' : sentenceOf(run);
  const said = useAnnouncer(sentence);
  return (
    <>
      <p role="status" className="sr-only">
        {said}
      </p>
      {run !== null && (
        <Banner
          tone={run.kind === 'ended' && run.refused !== null ? 'failure' : 'neutral'}
          title={sentence}
          className="mb-4"
        >
          {run.kind === 'running' ? (
            <>
              {run.run.ids.length > 1 && (
                <div className="mt-2 flex flex-wrap gap-2">
                  <RunButtons state={run.run.state} pause={run.pause} resume={run.resume} stop={run.stop} />
                </div>
              )}
              <RunProgress label="Decided findings" max={run.total} value={run.done} />
            </>
          ) : (
            <>
              {run.changedNames.length > 0 && (
                <ul aria-label="Left alone" className="mt-1 list-disc ps-5">
                  {run.changedNames.map((name) => (
                    <li key={name} className="wrap-anywhere">
                      {visible(name)}
                    </li>
                  ))}
                </ul>
              )}
              <div className="mt-2 flex flex-wrap gap-2">
                {run.canUndo && (
                  <Button onClick={onUndo}>
                    Undo
                    {undoKey && <kbd className="text-xs text-muted max-md:hidden">z</kbd>}
                  </Button>
                )}
                {run.rest > 0 && (
                  <Button onClick={run.retry}>
                    {plural(run.rest, { one: 'Try the other one again', other: 'Try the other # again' })}
                  </Button>
                )}
                <Button onClick={onClose}>Close</Button>
              </div>
            </>
          )}
        </Banner>
      )}
    </>
  );
}

function sentenceOf(run: TriageRun): string {
  if (run.kind === 'running') {
    const progress = `${formatNumber(run.done)} of ${formatNumber(run.total)} findings.`;
    const why = hindranceOf(run.run);
    return why === null ? progress : `${progress} ${why}`;
  }
  const { applied, changed, gone, refused, rest, what, status } = run;
  const verb = what === 'undone' ? 'put back' : `now ${STATUS_TEXTS[status].label.toLowerCase()}`;
  return [
    (applied > 0 || rest === 0) && plural(applied, { one: `1 finding is ${verb}.`, other: `# findings are ${verb}.` }),
    changed > 0 &&
      plural(changed, {
        one: '1 was left alone: someone else changed it.',
        other: '# were left alone: someone else changed them.',
      }),
    gone > 0 && plural(gone, { one: '1 is gone.', other: '# are gone.' }),
    rest > 0 &&
      (applied > 0
        ? plural(rest, { one: '1 was not changed.', other: '# were not changed.' })
        : plural(rest, { one: '1 finding was not changed.', other: '# findings were not changed.' })),
    refused !== null && reasonOf(refused),
  ]
    .filter((part) => part !== false)
    .join(' ');
}
