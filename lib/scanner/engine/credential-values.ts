import type { Span } from '#lib/workflow/text/source.ts';
import { looksGenerated, looksRandom } from './credentials.ts';

/**
 * Which values a place implies to be credentials. `password`: every literal. `secret`: literals that are neither names
 * nor ordinary words. `generated`: only values unlike any word or path.
 */
export type Trust = 'password' | 'secret' | 'generated';

const MAX_VALUE = 4_096;
const MAX_BLOCK_LINES = 200;
const MAX_AROUND = 400;

const OPENING = /\\?["'`]/y;
const BLOCK_HEADER = /[|>][-+\d]{0,2}[ \t]{0,4}(?:#[^\n]{0,200})?\r?\n/y;
const END_OF_WORD = /[\s"'`;|&<>(),}\]]|\\[nrt]/;
const END_OF_CLAUSE = /(?:["'`,;})\]|&\\]|[ \t]{0,20}(?:#|[,;})\]|&]|\r?\n|$))/y;

export function literalsAt(text: string, key: number, at: number, trust: Trust): Span[] {
  const separator = text.slice(key, at);
  // `${PASSWORD:-value}`
  if (separator.endsWith(':') && text.startsWith('-', at)) return literalsIn(text, wordAt(text, at + 1), trust);
  const block = separator.endsWith(' ') ? blockAt(text, key, at) : undefined;
  if (block !== undefined) return block.flatMap((line) => literalsIn(text, line, trust));
  const quote = matchAt(OPENING, text, at);
  if (quote !== undefined) {
    const start = at + quote.length;
    // In `grep "password=" file` the quote ends what began before the key.
    if (isOpen(quote, lineBefore(text, at)) && /^(?:[\s,;)\]}|&>]|$)/.test(text.charAt(start))) return [];
    return literalsIn(text, { start, end: endOfQuoted(text, start, quote) }, trust);
  }
  if (text.startsWith('${{', at)) return literalsIn(text, { start: at, end: endOfExpression(text, at) }, trust);
  const isPlain = /:[ \t]{1,4}$/.test(separator);
  const { end } = isPlain && trust === 'password' ? plainAt(text, at) : wordAt(text, at);
  const word = text.slice(at, end);
  if (isCode(word, text.charAt(end)) || (separator.endsWith(' = ') && PROPERTY.test(word))) return [];
  const isWordOfSentence = isPlain && trust === 'secret' && matchAt(END_OF_CLAUSE, text, end) === undefined;
  return literalsIn(text, { start: at, end }, isWordOfSentence ? 'generated' : trust);
}

export function isReferenceAlone(value: string): boolean {
  return (
    MASK.test(value) ||
    /^(?:\\?\$(?:\w{1,80}|\{[^{}]{1,120}\}|\{\{[^{}]{1,120}\}\}|\([^()]{1,120}\))|%\w{1,80}%|<[^<>]{1,80}>|\{[^{}]{1,80}\}|\[\w{1,40}\]){1,8}$/.test(
      value,
    )
  );
}

export function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_AROUND), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

export function lineAfter(text: string, at: number): string {
  return text.slice(at, at + MAX_AROUND).split('\n', 1)[0] ?? '';
}

function isOpen(quote: string, before: string): boolean {
  return before.split(quote).length % 2 === 0;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function blockAt(text: string, key: number, at: number): Span[] | undefined {
  const header = matchAt(BLOCK_HEADER, text, at);
  if (header === undefined) return undefined;
  const indentation = indentOf(lineBefore(text, key));
  const lines: Span[] = [];
  for (let start = at + header.length; start < text.length && lines.length < MAX_BLOCK_LINES; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const depth = indentOf(text.slice(start, Math.min(end, start + MAX_AROUND)));
    if (start + depth < end) {
      if (depth <= indentation) break;
      lines.push({ start: start + depth, end });
    }
    start = end + 1;
  }
  return lines;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  const last = Math.min(text.length, start + MAX_VALUE);
  let at = start;
  while (at < last && text[at] !== '\n' && !text.startsWith(quote, at)) {
    at += quote === '"' && text[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, last);
}

function endOfExpression(text: string, at: number): number {
  const end = text.slice(at, at + MAX_VALUE).search(/\}\}|\n/);
  return end < 0 ? Math.min(text.length, at + MAX_VALUE) : at + end + 2;
}

function plainAt(text: string, at: number): Span {
  const before = lineBefore(text, at);
  const isFlow = before.replaceAll('${{', '').lastIndexOf('{') > before.lastIndexOf('}');
  const open = ['"', "'", '`'].filter((quote) => isOpen(quote, before));
  const ends = new Set(['\n', '\r', ...open, ...(isFlow ? [',', '}'] : [])]);
  const last = Math.min(text.length, at + MAX_VALUE);
  let end = at;
  while (end < last && !ends.has(text.charAt(end))) end += 1;
  return { start: at, end: at + text.slice(at, end).trimEnd().length };
}

function wordAt(text: string, at: number): Span {
  const length = text.slice(at, at + MAX_VALUE).search(END_OF_WORD);
  return { start: at, end: length < 0 ? Math.min(text.length, at + MAX_VALUE) : at + length };
}

const ORDINARY: ReadonlySet<string> = new Set(
  `true false yes no on off null none nil undefined string str boolean bool number int integer object array any text bytes
  required optional inherit inherited write read empty missing unset input inputs output env environment redacted hidden
  masked disabled enabled auto automatic automatically always never value values name names auth authentication
  authorization based exists expired provided found permission permissions access scope scopes organization repository
  repositories github gitlab kubernetes placeholder secrets token tokens keys credential credentials generic opaque
  instead itself because without through whoever anyone everyone`.split(/\s+/),
);

const MASK = /^[*.xX\u2022\u2026_?-]{1,200}$/;
const REFERENCE = /^(?:\\?\$|%\w{1,80}%$|[<{`[]|\*[A-Za-z]|&\w|\\$|(?:env|file|fd):\S|--?[a-z])/;
/** The rest of a message: `job reset-password: a step may hang for hours.` */
const SENTENCE = /^[A-Za-z]{1,20}(?: \S{1,60}){4,100}[.!?]$/;
const LOOSE_REFERENCE = /^(?:@|!\w|\(|\.\.\.|#\{)/;
const CAPITALS = /^[A-Z][A-Z0-9]{0,60}(?:_[A-Z0-9]{1,60}){1,12}$/;
const FILE =
  /^(?:\.{0,2}\/|~\/?|[A-Za-z]:\\)|\.(?:json|ya?ml|txt|pem|key|gpg|asc|enc|p12|pfx|jks|crt|env|[cm]?[jt]s|py|sh|go|md)$/;
const NAME = /^[A-Za-z][A-Za-z0-9]{0,40}(?:[-_./:][A-Za-z0-9]{1,40}){1,8}$/;
const NAMING = /token|secret|auth|cred|pass|key|name|config|cert/i;
const PROPERTY = /^[A-Za-z_]{1,40}(?:\??\.[A-Za-z_]{1,40}){1,8}$/;
const CAMEL_NAME = /^[a-z]{1,40}(?:[A-Z][a-z]{0,40}){0,6}(?:Token|Secret|Key|Password|Credential)s?$/;
const FALLBACK_IN_EXPRESSION = /(?:\{\{|\|\||&&)\s{0,4}'([^'\n]{1,200})'/g;
const FALLBACK_IN_EXPANSION = /^\$\{\w{1,80}:?[-=]([^}$]{1,200})/;

function literalsIn(text: string, { start, end }: Span, trust: Trust): Span[] {
  const value = text.slice(start, end);
  if (value.startsWith('${{')) {
    return [...value.matchAll(FALLBACK_IN_EXPRESSION)]
      .filter(([, literal = '']) => isCredential(literal, trust))
      .map(({ index, 0: whole, 1: literal = '' }) => {
        const last = start + index + whole.length - 1;
        return { start: last - literal.length, end: last };
      });
  }
  const fallback = FALLBACK_IN_EXPANSION.exec(value);
  if (fallback !== null) {
    const [whole, literal = ''] = fallback;
    const last = start + whole.length;
    return isCredential(literal, trust) ? [{ start: last - literal.length, end: last }] : [];
  }
  return isCredential(value, trust) ? [{ start, end }] : [];
}

function isCredential(value: string, trust: Trust): boolean {
  if (value === '' || MASK.test(value) || CAPITALS.test(value) || REFERENCE.test(value)) return false;
  if (ORDINARY.has(value.toLowerCase().replace(/[.,:;!?]{1,3}$/, ''))) return false;
  if (value.includes('://') || /^sha\d{3}[:-]/.test(value) || (FILE.test(value) && !looksRandom(value))) return false;
  if (trust === 'password') return !SENTENCE.test(value);
  if (/\s/.test(value) || LOOSE_REFERENCE.test(value)) return false;
  if (value.length >= 12 && (looksGenerated(value) || (value.length >= 20 && looksRandom(value)))) return true;
  if (trust === 'generated' || /^\d+$/.test(value) || CAMEL_NAME.test(value)) return false;
  if (NAME.test(value) && NAMING.test(value)) return false;
  return value.length >= 8 || (value.length >= 6 && /\d|[a-z][A-Z]/.test(value));
}

function isCode(value: string, next: string): boolean {
  return (
    next === '(' ||
    /^(?:process\.env|env|os|core|secrets|github|inputs|vars|steps|needs|matrix|context|config|self|this|args|params|options)[.[]/.test(
      value,
    )
  );
}
