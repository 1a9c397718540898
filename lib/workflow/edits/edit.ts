import type { Span } from '../text/source.ts';

export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/** Applies edits to a text, each against the original offsets. Throws a RangeError if two of them overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort(compareEdits);
  let result = '';
  let at = 0;
  for (const { span, text: replacement } of ordered) {
    if (span.start < at || span.end < span.start || span.end > text.length) throw new RangeError('edits overlap');
    result += text.slice(at, span.start) + replacement;
    at = span.end;
  }
  return result + text.slice(at);
}

/** Orders edits by offset; at the same offset, an insertion that starts a line comes last. */
export function compareEdits(a: TextEdit, b: TextEdit): number {
  return a.span.start - b.span.start || a.span.end - b.span.end || Number(beginsLine(a)) - Number(beginsLine(b));
}

/** True if an edit inserts lines after the line at whose end it is placed. */
export function beginsLine({ span, text }: TextEdit): boolean {
  return span.start === span.end && /^\r?\n/.test(text);
}
