import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { type DiffLine, diffLines, patchLines } from '#lib/report/line-diff.ts';
import { visible } from '#lib/report/visible.ts';
import { highlightLines } from './highlight-lines.tsx';
import { RuleLink } from './rule-link.tsx';
import { RuleText } from './rule-text.tsx';

interface Props {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

const KINDS = {
  same: { row: '', sign: '', words: '' },
  added: { row: 'bg-ok-soft', sign: '+', words: 'Added: ' },
  removed: { row: 'bg-critical-soft', sign: '-', words: 'Removed: ' },
} as const;

export function DiffTable({ label, before, after }: Props) {
  const old = highlightLines(before, 'yaml');
  const fresh = highlightLines(after, 'yaml');
  const pieces = diffLines(before, after).map((lines) =>
    lines.map((line) => ({ ...line, text: line.after === null ? old[(line.before ?? 0) - 1] : fresh[line.after - 1] })),
  );
  return <Lines label={label} pieces={pieces} />;
}

export interface Fix {
  readonly rule_id: string;
  /** The line of the finding, before the change. */
  readonly line: number;
  readonly description: string;
}

interface PatchProps {
  readonly label: string;
  readonly diff: string;
  readonly fixes: readonly Fix[];
}

export function PatchTable({ label, diff, fixes }: PatchProps) {
  const pieces = patchLines(diff).map((lines) => lines.map((line) => ({ ...line, text: visible(line.text) })));
  return <Lines label={label} pieces={pieces} notes={pieces.map((lines) => fixesIn(lines, fixes))} />;
}

export function fixesElsewhere(diff: string, fixes: readonly Fix[]): readonly Fix[] {
  const shown = new Set(patchLines(diff).flatMap((lines) => fixesIn(lines, fixes)));
  return fixes.filter((fix) => !shown.has(fix));
}

function fixesIn(lines: readonly DiffLine[], fixes: readonly Fix[]): readonly Fix[] {
  return fixes.filter(({ line }) => lines.some(({ before }) => before === line));
}

interface LinesProps {
  readonly label: string;
  readonly pieces: readonly (readonly (DiffLine & { readonly text: ReactNode })[])[];
  readonly notes?: readonly (readonly Fix[])[];
}

function Lines({ label, pieces, notes = [] }: LinesProps) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-panel border border-line">
      <figcaption className="border-b border-line bg-subtle px-4 py-2 font-mono text-xs break-words text-muted">
        {label}
      </figcaption>
      <section aria-label={label} tabIndex={0} className="overflow-x-auto py-2">
        <table className="w-full border-collapse font-mono text-xs leading-[1.6]">
          <thead className="sr-only">
            <tr>
              <th scope="col">Line before</th>
              <th scope="col">Line after</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          {pieces.map((lines, piece) => (
            <tbody key={piece} className={clsx(piece > 0 && 'border-t border-dashed border-control')}>
              {notes[piece]?.map(({ rule_id: rule, line, description }) => (
                <tr key={`${rule} ${line} ${description}`} className="bg-inset">
                  <td colSpan={3} className="px-3 py-1.5 font-sans">
                    <p className="sticky start-3 w-[min(34rem,calc(100vw-6rem))]">
                      <RuleLink id={rule} /> <RuleText text={description} />
                    </p>
                  </td>
                </tr>
              ))}
              {lines.map(({ kind, before: from, after: to, text }) => {
                const { row, sign, words } = KINDS[kind];
                return (
                  <tr key={`${from}:${to}`} className={row}>
                    <LineNumber value={from} />
                    <LineNumber value={to} />
                    <td className="w-full pe-4 ps-2 whitespace-pre">
                      <span aria-hidden="true" className="inline-block w-[2ch] select-none">
                        {sign}
                      </span>
                      {words !== '' && <span className="sr-only">{words}</span>}
                      {text}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          ))}
        </table>
      </section>
    </figure>
  );
}

function LineNumber({ value }: { readonly value: number | null }) {
  return <td className="min-w-[4ch] ps-3 text-end text-muted tabular-nums select-none">{value}</td>;
}
