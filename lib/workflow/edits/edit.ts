import type { Text } from '../model/model.ts';
import type { Span } from '../text/source.ts';

/** Replaces the text of a span; an empty span inserts. */
export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/**
 * Applies edits to a text, each against the original offsets. Throws a RangeError when two of them overlap: an
 * overlapping set has no one meaning, and the caller chooses which edits belong together.
 */
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

/** The order of edits in their text. Of two insertions at one place, the one that begins a line comes after the other. */
export function compareEdits(a: TextEdit, b: TextEdit): number {
  return a.span.start - b.span.start || a.span.end - b.span.end || Number(beginsLine(a)) - Number(beginsLine(b));
}

/** Whether an edit inserts lines behind the one that it stands at the end of. */
export function beginsLine({ span, text }: TextEdit): boolean {
  return span.start === span.end && /^\r?\n/.test(text);
}

/** The line break that a text uses. */
export function lineBreakOf(text: string): '\r\n' | '\n' {
  return /\r\n/.test(text.slice(0, 4_096)) ? '\r\n' : '\n';
}

/** The white space that starts the line of an offset. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ ]*/.exec(text.slice(lineStart))?.[0] ?? '';
}

/**
 * The edit that replaces a part of a scalar's text, by its indices. Undefined where the text does not stand in the file
 * as it is (escapes, blocks), or where an alias makes it stand in several places.
 */
export function editWithin(
  { node, span, value }: Text,
  start: number,
  end: number,
  text: string,
): TextEdit | undefined {
  const quoted = node.style === 'plain' ? 0 : 1;
  if (node.shared || span.end - span.start !== value.length + 2 * quoted) return undefined;
  const first = span.start + quoted;
  return { span: { start: first + start, end: first + end }, text };
}
