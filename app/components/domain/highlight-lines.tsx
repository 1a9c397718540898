import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/yaml';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { splitVisible } from '#lib/report/visible.ts';

export type Language = 'yaml' | 'text';

const HIGHLIGHTER = tagHighlighter([
  { tag: tags.propertyName, class: 'tok-key' },
  { tag: [tags.string, tags.content], class: 'tok-string' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.labelName, tags.typeName, tags.meta], class: 'tok-anchor' },
]);

export function highlightLines(code: string, language: Language): ReactNode[][] {
  const text = code.replaceAll('\r\n', '\n').replace(/\n+$/, '');
  const lines: ReactNode[][] = [[]];
  const put = (piece: string, className: string) => {
    for (const { text: part, hidden } of splitVisible(piece)) {
      const line = lines.at(-1) ?? [];
      line.push(
        <span
          key={line.length}
          className={clsx(className, hidden && 'rounded-sm bg-critical-soft text-critical') || undefined}
        >
          {part}
        </span>,
      );
    }
  };
  const next = () => lines.push([]);
  if (language === 'yaml') highlightCode(text, parser.parse(text), HIGHLIGHTER, put, next);
  else {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) next();
      put(line, '');
    }
  }
  return lines;
}
