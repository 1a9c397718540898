import type { Span } from './source.ts';

export interface HiddenText {
  readonly kind: 'invisible' | 'blank' | 'pushed';
  readonly span: Span;
  readonly code: string;
  readonly comment: boolean;
}

/**
 * Direction controls, tag characters and supplementary variation selectors; then zero-width characters.
 * https://www.unicode.org/reports/tr36/
 */
const INVISIBLE =
  /(?:[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}])+|(?:\u00AD|\u180E|[\u200B-\u200F]|[\u2060-\u2064]|\u3164|\u115F|\u1160|\uFEFF|\uFFA0)+/gu;

const REORDERS = /[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/u;

/** First code units of the same characters, since a pattern of whole characters is slow. */
const MAYBE = /[\u00AD\u115F\u1160\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\u3164\uDB40\uFEFF\uFFA0]/;

const PUSHED_BY = 150;

const MAX_FOUND = 50;

/** Returns a file's invisible characters in order, except a leading byte order mark. */
export function hiddenTextIn(text: string): HiddenText[] {
  const found: HiddenText[] = [];
  for (const match of MAYBE.test(text) ? text.matchAll(INVISIBLE) : []) {
    const span = { start: match.index, end: match.index + match[0].length };
    if (match.index === 0 || joinsEmoji(text, span)) continue;
    const kind = REORDERS.test(match[0]) ? 'invisible' : 'blank';
    found.push({ kind, span, code: codeOf(match[0]), comment: isComment(text, span.start) });
    if (found.length >= MAX_FOUND) break;
  }
  return [...found, ...pushedText(text)].sort((a, b) => a.span.start - b.span.start);
}

/** Zero-width joiners and their opposite, which keeps flags apart, and tag characters belong to emoji. */
function joinsEmoji(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  if (before === '\u{1F3F4}') return true;
  const last = before.charCodeAt(before.length - 1);
  const picture = (last >= 0x2190 && last <= 0x2bff) || last === 0xfe0f || (last >= 0xd83c && last <= 0xdfff);
  return picture && /^[\u200C\u200D]$/.test(text.slice(start, end));
}

function* pushedText(text: string): Generator<HiddenText> {
  const blanks = ' '.repeat(PUSHED_BY);
  let yielded = 0;
  for (let at = text.indexOf(blanks); at !== -1 && yielded < MAX_FOUND; at = text.indexOf(blanks, at)) {
    let start = at;
    while (text[start] === ' ') start += 1;
    const lineStart = text.lastIndexOf('\n', at) + 1;
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd === -1 ? text.length : lineEnd;
    const behind = text.slice(start, end).trim();
    // Tables and aligned comments continue with text; deep indentation has none before it.
    if (text.slice(lineStart, at).trim() !== '' && behind !== '') {
      yielded += 1;
      yield { kind: 'pushed', span: { start, end: start + behind.length }, code: '', comment: behind.startsWith('#') };
    }
    at = start;
  }
}

function codeOf(characters: string): string {
  return `U+${(characters.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function isComment(text: string, offset: number): boolean {
  return text
    .slice(text.lastIndexOf('\n', offset) + 1, offset)
    .trimStart()
    .startsWith('#');
}
