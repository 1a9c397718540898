'use client';

import { clsx } from 'clsx';
import { useCallback } from 'react';
import { useHotkeys } from 'react-hotkeys-hook';
import { visible } from '#lib/report/visible.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { formatDay, Time } from '../../domain/time.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { STATUSES, type Status } from './filters.ts';
import { Fixable, InPaths, RuleIsOff } from './marks.tsx';
import { STATUS_TEXTS } from './status.ts';
import { type FindingRow, keyOf } from './use-findings.ts';
import { usePathsOf, useRulesOff } from './use-marks.ts';

interface Props {
  readonly rows: readonly FindingRow[];
  readonly selected: ReadonlySet<string>;
  readonly shortcuts: boolean;
  readonly onSelect: (rows: readonly FindingRow[], selected: boolean) => void;
  readonly onOpen: (row: FindingRow) => void;
  readonly onDecide: (status: Status, focused: FindingRow | undefined) => void;
  readonly onUndo: () => void;
}

/**
 * The focused row is the cursor: its link has the focus, so keys do nothing elsewhere on the page. `x` or a press with
 * Shift selects everything from there up to the nearest selected row above.
 */
export function FindingTable({ rows, selected, shortcuts, onSelect, onOpen, onDecide, onUndo }: Props) {
  const isOff = useRulesOff(rows);
  const paths = usePathsOf(rows);
  const focusedIndex = useCallback(
    () => rows.findIndex((row) => document.activeElement?.getAttribute('data-finding') === keyOf(row)),
    [rows],
  );
  const move = (step: number) => {
    const row = rows[Math.min(Math.max(focusedIndex() + step, 0), rows.length - 1)];
    if (row !== undefined) document.querySelector<HTMLElement>(`[data-finding="${keyOf(row)}"]`)?.focus();
  };
  const toggle = (at: number, range: boolean) => {
    const row = rows[at];
    if (row === undefined) return;
    const above = rows.slice(0, at).findLastIndex((each) => selected.has(keyOf(each)));
    if (range && above !== -1) onSelect(rows.slice(above, at + 1), true);
    else onSelect([row], !selected.has(keyOf(row)));
  };
  const options = { enabled: shortcuts, preventDefault: true };
  const list = useHotkeys<HTMLDivElement>(
    ['j', 'k', 'x', 'shift+x', 'o', 'z', ...STATUSES.map((status) => STATUS_TEXTS[status].key)],
    (event) => {
      const key = event.key.toLowerCase();
      const focused = rows[focusedIndex()];
      const status = STATUSES.find((each) => STATUS_TEXTS[each].key === key);
      if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
      else if (key === 'x') toggle(focusedIndex(), event.shiftKey);
      else if (key === 'o' && focused !== undefined) onOpen(focused);
      else if (key === 'z') onUndo();
      else if (status !== undefined) onDecide(status, focused);
    },
    options,
    [rows, selected, onSelect, onOpen, onDecide, onUndo],
  );
  const all = rows.length > 0 && rows.every((row) => selected.has(keyOf(row)));
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      <Table caption="Findings">
        <thead>
          <tr>
            <HeaderCell className="w-10">
              <Box label="Select all on this page" checked={all} onChange={(checked) => onSelect(rows, checked)} />
            </HeaderCell>
            <HeaderCell>Finding</HeaderCell>
            <HeaderCell className="max-md:hidden">Status</HeaderCell>
            <HeaderCell className="max-md:hidden">First seen</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = keyOf(row);
            return (
              <Row key={key} className={clsx(selected.has(key) && 'bg-subtle')}>
                <Cell className="max-md:pe-0">
                  <Box
                    label={`Select ${visible(row.title)} in ${visible(row.full_name)}`}
                    checked={selected.has(key)}
                    onChange={(_checked, withShift) => toggle(index, withShift)}
                  />
                </Cell>
                <Cell>
                  <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <span className="flex min-w-0 items-start gap-2">
                      <SeverityChip severity={row.severity} />
                      <button
                        type="button"
                        data-finding={key}
                        onClick={() => onOpen(row)}
                        // The shortcut hook reads `*` as any key.
                        onKeyDown={({ key: pressed }) => shortcuts && pressed === '*' && onSelect(rows, true)}
                        className="link min-w-0 cursor-pointer text-start font-medium wrap-anywhere"
                      >
                        {visible(row.title)}
                      </button>
                    </span>
                    {paths.has(key) && <InPaths count={paths.get(key) ?? 0} />}
                    {row.fixable && <Fixable />}
                    {isOff(row) && <RuleIsOff />}
                  </div>
                  <p className="mt-0.5 flex flex-wrap gap-x-2.5 text-xs text-muted">
                    <span className="min-w-0 wrap-anywhere">{visible(row.full_name)}</span>
                    <code className="min-w-0 wrap-anywhere">
                      {row.file === null ? 'repository setting' : visible(row.file)}
                      {row.line !== null && `:${row.line}`}
                    </code>
                    <code className="max-md:hidden">{row.rule_id}</code>
                    {row.status !== 'open' && <span className="md:hidden">{STATUS_TEXTS[row.status].label}</span>}
                  </p>
                </Cell>
                <Cell className="whitespace-nowrap max-md:hidden">
                  {STATUS_TEXTS[row.status].label}
                  {row.expires_at !== null && (
                    <span className="block text-xs text-muted">until {formatDay(row.expires_at)}</span>
                  )}
                </Cell>
                <Cell className="whitespace-nowrap text-muted max-md:hidden">
                  <Time at={row.first_seen_at} />
                </Cell>
              </Row>
            );
          })}
        </tbody>
      </Table>
    </div>
  );
}

interface BoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean, withShift: boolean) => void;
}

function Box({ label, checked, onChange }: BoxProps) {
  return (
    <label className="inline-flex size-6 cursor-pointer items-center justify-center">
      <span className="sr-only">{label}</span>
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target, nativeEvent }) =>
          onChange(target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
        className="size-4 cursor-pointer accent-accent"
      />
    </label>
  );
}
