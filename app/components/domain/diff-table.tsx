import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { type DiffLine, diffLines, patchLines } from '#lib/report/line-diff.ts';
import { visible } from '#lib/report/visible.ts';
import { highlightLines } from './highlight-lines.tsx';

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

/** Shows a unified diff of one file, without colours for the syntax. */
export function PatchTable({ label, diff }: { readonly label: string; readonly diff: string }) {
  const pieces = patchLines(diff).map((lines) => lines.map((line) => ({ ...line, text: visible(line.text) })));
  return <Lines label={label} pieces={pieces} />;
}

interface LinesProps {
  readonly label: string;
  readonly pieces: readonly (readonly (DiffLine & { readonly text: ReactNode })[])[];
}

function Lines({ label, pieces }: LinesProps) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-panel border border-line">
      <figcaption className="border-b border-line bg-subtle px-4 py-2 font-mono text-xs break-words text-muted">
        {label}
      </figcaption>
      {/* Scrollable regions must be reachable by keyboard. */}
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
            // oxlint-disable-next-line react/no-array-index-key
            <tbody key={piece} className={clsx(piece > 0 && 'border-t border-dashed border-control')}>
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
