'use client';

import { clsx } from 'clsx';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { splitVisible } from '#lib/report/visible.ts';
import { CATEGORY_LABELS } from '../../messages.ts';
import { formatNumber, plural } from '../../numbers.ts';
import { highlightLines } from '../domain/highlight-lines.tsx';
import { RuleLink } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { Button } from '../ui/button.tsx';
import { type Change, changesOf, linesOf, type Row, rowsOf } from './changes.ts';
import type { Hardened } from './use-harden.ts';

const ROWS = 400;
const MORE_LINES = 100;
const MAX_CHARACTERS = 2_000;
const MAX_FIXES = 5;
const MAX_HIGHLIGHTED_CHARACTERS = 100_000;

interface Props {
  readonly hardened: Hardened;
  readonly paired: boolean;
}

export function ChangeTable({ hardened: { before, reply, filename }, paired }: Props) {
  const [opened, setOpened] = useState<ReadonlyMap<number, number>>(new Map());
  const [limit, setLimit] = useState(ROWS);
  const [old, fresh] = useMemo(() => [linesOf(before), linesOf(reply.hardened)], [before, reply]);
  const [oldColoured, freshColoured] = useMemo(() => [coloured(before), coloured(reply.hardened)], [before, reply]);
  const changes = useMemo(() => changesOf(reply), [reply]);
  const rows = useMemo(() => rowsOf(changes, old.length, { opened, paired }), [changes, old.length, opened, paired]);
  const label = `What changed in ${filename}`;
  const columns = paired ? 4 : 3;
  return (
    <figure className="min-w-0 overflow-hidden rounded-panel border border-line">
      <figcaption className="border-b border-line bg-subtle px-4 py-2 font-mono text-xs break-all text-muted">
        {filename}
      </figcaption>
      <section aria-label={label} tabIndex={0} className="overflow-x-auto pb-2">
        <table className={clsx('w-full border-collapse font-mono text-xs leading-[1.6]', paired && 'table-fixed')}>
          {paired && (
            <colgroup>
              <col className="w-14" />
              <col />
              <col className="w-14" />
              <col />
            </colgroup>
          )}
          <thead className="sr-only">
            <tr>
              <th scope="col">Line before</th>
              {paired && <th scope="col">Text before</th>}
              <th scope="col">Line after</th>
              <th scope="col">{paired ? 'Text after' : 'Text'}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, limit).map((row) => {
              if (row.kind === 'change')
                return <ChangeHeader key={`change ${row.number}`} row={row} of={changes.length} columns={columns} />;
              if (row.kind === 'gap')
                return (
                  <GapRow
                    key={`gap ${row.gap}`}
                    hidden={row.hidden}
                    columns={columns}
                    onOpen={() =>
                      setOpened((known) => new Map([...known, [row.gap, (known.get(row.gap) ?? 0) + MORE_LINES]]))
                    }
                  />
                );
              const from = { text: textAt(old, row.old), coloured: oldColoured?.[(row.old ?? 0) - 1] };
              const to = { text: textAt(fresh, row.fresh), coloured: freshColoured?.[(row.fresh ?? 0) - 1] };
              const props = { old: row.old, fresh: row.fresh, same: row.same, from, to };
              const Line = paired ? PairedLine : UnifiedLine;
              return <Line key={`${row.old}:${row.fresh}`} {...props} />;
            })}
          </tbody>
        </table>
      </section>
      {rows.length > limit && (
        <div className="border-t border-line bg-subtle px-4 py-3">
          <Button onClick={() => setLimit(limit + ROWS)}>
            {`Show more changes (${formatNumber(rows.length - limit)} lines left)`}
          </Button>
        </div>
      )}
    </figure>
  );
}

function coloured(text: string): ReactNode[][] | undefined {
  return text.length > MAX_HIGHLIGHTED_CHARACTERS ? undefined : highlightLines(text, 'yaml');
}

function textAt(lines: readonly string[], line: number | null): string {
  return line === null ? '' : (lines[line - 1] ?? '');
}

function ChangeHeader({
  row: { change, number },
  of,
  columns,
}: {
  readonly row: Extract<Row, { kind: 'change' }>;
  readonly of: number;
  readonly columns: number;
}) {
  const { category, fixes } = change;
  return (
    <tr className="border-y border-line bg-inset font-sans">
      <td colSpan={columns} className="px-4 py-2 text-xs">
        <div className="sticky start-4 max-w-[min(60rem,calc(100vw-4.5rem))] break-words">
          <h3 className="font-semibold">
            <span className="sr-only">{`Change ${number} of ${of}: `}</span>
            {category === null ? 'Other changes' : `${category} ${CATEGORY_LABELS[category] ?? ''}`}
          </h3>
          <FixList change={change} />
          {fixes.length > MAX_FIXES && (
            <p className="text-muted">
              {plural(fixes.length - MAX_FIXES, { one: 'and 1 more fix', other: 'and # more fixes' })}
            </p>
          )}
        </div>
      </td>
    </tr>
  );
}

function FixList({ change: { fixes } }: { readonly change: Change }) {
  return (
    <ul>
      {fixes.slice(0, MAX_FIXES).map(({ rule_id: id, line, description }, index) => (
        <li key={index} className="text-muted">
          <RuleLink id={id} /> {`line ${line}: `}
          <RuleText text={description} />
        </li>
      ))}
    </ul>
  );
}

function GapRow({
  hidden,
  columns,
  onOpen,
}: {
  readonly hidden: number;
  readonly columns: number;
  readonly onOpen: () => void;
}) {
  const sentence =
    hidden <= MORE_LINES
      ? plural(hidden, { one: 'Show 1 unchanged line', other: 'Show # unchanged lines' })
      : `Show ${MORE_LINES} of ${formatNumber(hidden)} unchanged lines`;
  return (
    <tr className="border-y border-dashed border-control font-sans">
      <td colSpan={columns} className="bg-subtle px-4">
        <button type="button" onClick={onOpen} className="link sticky start-4 min-h-8 cursor-pointer text-xs">
          {sentence}
        </button>
      </td>
    </tr>
  );
}

interface LineProps {
  readonly old: number | null;
  readonly fresh: number | null;
  readonly same: boolean;
  readonly from: LineText;
  readonly to: LineText;
}

interface LineText {
  readonly text: string;
  readonly coloured: ReactNode[] | undefined;
}

const UnifiedLine = memo(function UnifiedLine({ old, fresh, same, from, to }: LineProps) {
  const kind = same ? KINDS.same : fresh === null ? KINDS.removed : KINDS.added;
  return (
    <tr className={kind.ground}>
      <LineNumber value={old} />
      <LineNumber value={fresh} />
      <td className="w-full pe-4 ps-2 whitespace-pre">
        <Signed kind={kind} line={fresh === null ? from : to} />
      </td>
    </tr>
  );
});

const PairedLine = memo(function PairedLine({ old, fresh, same, from, to }: LineProps) {
  const [left, right] = same ? [KINDS.same, KINDS.same] : [KINDS.removed, KINDS.added];
  return (
    <tr>
      <LineNumber value={old} ground={old === null ? 'bg-subtle' : left.ground} />
      <td className={clsx('border-e border-line pe-2 ps-2 align-top', old === null ? 'bg-subtle' : left.ground)}>
        {old !== null && <Signed kind={left} line={from} wrapped />}
      </td>
      <LineNumber value={fresh} ground={fresh === null ? 'bg-subtle' : right.ground} />
      <td className={clsx('pe-2 ps-2 align-top', fresh === null ? 'bg-subtle' : right.ground)}>
        {fresh !== null && <Signed kind={right} line={to} wrapped />}
      </td>
    </tr>
  );
});

const KINDS = {
  same: { ground: '', sign: '', words: '' },
  added: { ground: 'bg-ok-soft', sign: '+', words: 'Added: ' },
  removed: { ground: 'bg-critical-soft', sign: '-', words: 'Removed: ' },
} as const;

function LineNumber({ value, ground = '' }: { readonly value: number | null; readonly ground?: string }) {
  return (
    <td className={clsx('min-w-[4ch] ps-3 text-end align-top text-muted tabular-nums select-none', ground)}>{value}</td>
  );
}

function Signed({
  kind: { sign, words },
  line: { text, coloured: pieces },
  wrapped = false,
}: {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly line: LineText;
  readonly wrapped?: boolean;
}) {
  const left = text.length - MAX_CHARACTERS;
  return (
    <div className={wrapped ? 'ps-[2ch] -indent-[2ch] whitespace-pre-wrap wrap-anywhere' : undefined}>
      <span aria-hidden="true" className="inline-block w-[2ch] indent-0 select-none">
        {sign}
      </span>
      {words !== '' && <span className="sr-only">{words}</span>}
      {left <= 0 && pieces !== undefined
        ? pieces
        : splitVisible(text.slice(0, MAX_CHARACTERS)).map(({ text: part, hidden }, index) => (
            <span key={index} className={hidden ? 'rounded-sm bg-critical-soft text-critical' : undefined}>
              {part}
            </span>
          ))}
      {left > 0 && <span className="text-muted italic">{` … ${formatNumber(left)} more characters`}</span>}
    </div>
  );
}
