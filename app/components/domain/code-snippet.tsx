import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { highlightLines, type Language } from './highlight-lines.tsx';

interface Props {
  readonly code: string;
  readonly label: string;
  readonly language?: Language;
  readonly numbered?: boolean;
  readonly action?: ReactNode;
  readonly group?: boolean;
  /** Number of the first line; the lines to mark are still counted from 1. */
  readonly firstLine?: number;
  readonly marked?: readonly number[];
  readonly added?: readonly number[];
  readonly removed?: readonly number[];
}

const KINDS = {
  plain: { line: 'border-transparent', sign: '', words: '' },
  marked: { line: 'border-accent bg-inset', sign: '', words: 'Marked line: ' },
  added: { line: 'border-ok bg-ok-soft', sign: '+', words: 'Added: ' },
  removed: { line: 'border-critical bg-critical-soft', sign: '-', words: 'Removed: ' },
} as const;

export function CodeSnippet({
  code,
  label,
  language = 'yaml',
  numbered = false,
  action,
  group = false,
  firstLine = 1,
  marked = [],
  added = [],
  removed = [],
}: Props) {
  const kindOf = (line: number) =>
    added.includes(line) ? 'added' : removed.includes(line) ? 'removed' : marked.includes(line) ? 'marked' : 'plain';
  const isDiff = added.length + removed.length > 0;
  return (
    <figure className="min-w-0 overflow-hidden rounded-panel border border-line">
      <figcaption className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line bg-subtle py-1 ps-4 pe-1.5 font-mono text-xs text-muted">
        <span className="me-auto min-w-0 break-words">{label}</span>
        {action}
      </figcaption>
      <ScrollRegion
        as="pre"
        label={label}
        group={group}
        className="overflow-x-auto py-2 font-mono text-xs leading-[1.6]"
      >
        <code className="block w-max min-w-full">
          {highlightLines(code, language).map((pieces, index) => {
            const kind = KINDS[kindOf(index + 1)];
            return (
              <span key={index} className={clsx('code-line block border-s-[3px] pe-4 ps-3', kind.line)}>
                {numbered && (
                  <span
                    aria-hidden="true"
                    className={clsx(
                      'me-3 inline-block min-w-[2ch] text-end select-none',
                      kind === KINDS.plain ? 'text-muted' : 'font-semibold',
                    )}
                  >
                    {index + firstLine}
                  </span>
                )}
                {isDiff && (
                  <span aria-hidden="true" className="inline-block w-[2ch] select-none">
                    {kind.sign}
                  </span>
                )}
                {kind.words !== '' && <span className="sr-only">{kind.words}</span>}
                {pieces}
                {'\n'}
              </span>
            );
          })}
        </code>
      </ScrollRegion>
    </figure>
  );
}
