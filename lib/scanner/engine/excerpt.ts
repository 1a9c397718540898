import type { SourceFile } from '#lib/workflow/text/source.ts';
import { redact } from './redact.ts';

const MAX_LINES = 12;
const MAX_LENGTH = 2_000;
const STEP = 1_000;
/** Exceeds the longest credential that {@link redact} knows, a private key in one string. */
const MARGIN = 9_000;

/** Searches only the start and a margin, so that the cost is bounded and truncated credentials are still hidden. */
export function redactStart(text: string, length: number): string {
  if (text.length <= length + MARGIN) return redact(text).slice(0, length);
  return redact(cut(text, 0, length + MARGIN)).slice(0, length);
}

export class Excerpts {
  readonly #known = new Map<SourceFile, Map<string, string>>();

  of(source: SourceFile, start: number, end: number): string {
    const first = source.position(start);
    const last = Math.min(source.position(Math.max(start, end)).line, first.line + MAX_LINES - 1);
    const column = first.column - 1;
    const from = source.line(first.line).length <= MAX_LENGTH ? 0 : column - (column % STEP);
    const key = `${first.line}-${last}+${from}`;
    let known = this.#known.get(source);
    if (known === undefined) {
      known = new Map();
      this.#known.set(source, known);
    }
    let excerpt = known.get(key);
    if (excerpt === undefined) {
      excerpt = excerptOf(linesOf(source, first.line, last, from), from);
      known.set(key, excerpt);
    }
    return excerpt;
  }
}

function linesOf(source: SourceFile, first: number, last: number, from: number): string {
  const lines: string[] = [];
  let left = from + MAX_LENGTH + MARGIN + 1;
  for (let line = first; line <= last && left > 0; line += 1) {
    const text = source.line(line);
    lines.push(text);
    left -= text.length + 1;
  }
  return lines.join('\n');
}

function excerptOf(text: string, from: number): string {
  if (from === 0) return redactStart(text, MAX_LENGTH);
  const start = from - MARGIN;
  const before = redact(cut(text, start, from));
  const all = redact(cut(text, start, from + MAX_LENGTH + MARGIN));
  const hidden = sharedLength(before, all);
  return `…${all.slice(hidden, hidden + MAX_LENGTH - 1)}`;
}

/** Returns a part of a text without the words that it would split, since half a credential is not recognizable. */
function cut(text: string, start: number, end: number): string {
  let first = Math.max(0, start);
  let last = Math.min(end, text.length);
  if (first > 0 && isInWord(text, first - 1)) while (first < last && isInWord(text, first)) first += 1;
  if (last < text.length && isInWord(text, last)) while (last > first && isInWord(text, last - 1)) last -= 1;
  return text.slice(first, last);
}

function isInWord(text: string, index: number): boolean {
  return /[\w+/=.~%:-]/.test(text[index] as string);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
