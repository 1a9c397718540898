'use client';

import { useRef, useState } from 'react';
import { useHotkeys } from 'react-hotkeys-hook';
import { visible } from '#lib/report/visible.ts';
import { formatDay } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { DecideDialog } from './decide-dialog.tsx';
import { STATUSES, type Status } from './filters.ts';
import { STATUS_TEXTS } from './status.ts';
import { TriageResult } from './triage-bar.tsx';
import type { LedgerEntry } from './use-finding.ts';
import type { useTriage } from './use-triage.ts';

interface Props {
  readonly entry: LedgerEntry;
  readonly triage: ReturnType<typeof useTriage>;
  readonly hasKeys: boolean;
}

export function FindingDecision({ entry, triage: { run, decide, undo, dismiss }, hasKeys }: Props) {
  const [status, setStatus] = useState<Status | null>(null);
  const shortcuts = useShortcuts();
  const section = useRef<HTMLElement>(null);
  const busy = run?.kind === 'running';
  const offered = STATUSES.filter((each) => each !== entry.status);
  useHotkeys(
    ['z', ...STATUSES.map((each) => STATUS_TEXTS[each].key)],
    ({ key }) => {
      if (!isTopmost(section.current)) return;
      const pressed = offered.find((each) => STATUS_TEXTS[each].key === key.toLowerCase());
      if (key.toLowerCase() === 'z') void undo();
      else if (pressed !== undefined) setStatus(pressed);
    },
    { enabled: hasKeys && shortcuts && !busy, preventDefault: true },
    [offered.join(' '), undo],
  );
  return (
    <section ref={section} aria-label="Decision">
      {entry.reason !== null && (
        <p className="mb-2 wrap-anywhere">
          Reason: <q>{visible(entry.reason)}</q>
        </p>
      )}
      {entry.expires_at !== null && <p className="mb-2 text-muted">{`Until ${formatDay(entry.expires_at)}`}</p>}
      <TriageResult run={run} undoKey={hasKeys && shortcuts} onUndo={() => void undo()} onClose={dismiss} />
      <div className="flex flex-wrap gap-2">
        {offered.map((each) => (
          <Button key={each} disabled={busy} className="min-h-9 px-3" onClick={() => setStatus(each)}>
            {STATUS_TEXTS[each].verb}
            {hasKeys && shortcuts && <kbd className="text-xs text-muted max-md:hidden">{STATUS_TEXTS[each].key}</kbd>}
          </Button>
        ))}
      </div>
      {status !== null && (
        <DecideDialog
          status={status}
          count={1}
          onClose={() => setStatus(null)}
          onDecide={(decision) => {
            setStatus(null);
            void decide([entry], decision);
          }}
        />
      )}
    </section>
  );
}

export function isTopmost(element: Element | null): boolean {
  const open = document.querySelectorAll('dialog[open]');
  return open.length === 1 && element !== null && open[0]?.contains(element) === true;
}
