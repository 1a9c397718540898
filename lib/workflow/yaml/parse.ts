import { Lexer } from 'yaml';
import { MAX_DIAGNOSTICS_PER_FILE, MAX_EXPANDED_NODES, MAX_YAML_TOKENS } from '../text/limits.ts';
import type { Span } from '../text/source.ts';
import { readYamlEvents } from './fast-reader.ts';
import { readPlainYaml } from './plain-reader.ts';
import { recoverYaml } from './recovering-reader.ts';
import {
  ExpandsTooFar,
  isWhitespace,
  type YamlDocument,
  type YamlEntry,
  type YamlNode,
  type YamlScalar,
} from './tree.ts';

export type { YamlDocument, YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence } from './tree.ts';

/**
 * Parses YAML once into a tree with offsets; aliases share nodes, merge keys are resolved. Tokens, depth and size are
 * bounded before expansion. Never throws: problems become diagnostics.
 */
export function parseYaml(text: string): YamlDocument {
  const { root, diagnostics } = read(text);
  if (root === 'too large' || (root !== undefined && root.size > MAX_EXPANDED_NODES)) {
    const message = `The file expands to more than ${MAX_EXPANDED_NODES} values and is not read.`;
    const span = root === 'too large' ? { start: 0, end: text.length } : root.span;
    return { root: undefined, diagnostics: [{ severity: 'error', message, span }] };
  }
  return { root, diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE) };
}

function read(text: string): YamlDocument | { readonly root: 'too large'; readonly diagnostics: [] } {
  try {
    return readPlainYaml(text) ?? readYamlEvents(text) ?? recoverYaml(text);
  } catch (error) {
    if (error instanceof ExpandsTooFar) return { root: 'too large', diagnostics: [] };
    throw error;
  }
}

const offsetTables = new WeakMap<YamlScalar, Int32Array>();

/**
 * Returns the file offset of a character of a scalar, through indentation, folding and escapes. The index after the
 * last character is allowed.
 */
export function offsetInScalar(scalar: YamlScalar, index: number): number {
  const { span, text, style } = scalar;
  const width = span.end - span.start;
  if (style === 'plain' && width === text.length) return span.start + index;
  if ((style === 'single' || style === 'double') && width === text.length + 2) return span.start + 1 + index;
  let table = offsetTables.get(scalar);
  if (table === undefined) {
    table = alignScalar(scalar);
    offsetTables.set(scalar, table);
  }
  if (table.length === 0) return span.start;
  if (index >= text.length) return (table[text.length - 1] as number) + 1;
  return table[Math.max(0, index)] as number;
}

export function spanInScalar(scalar: YamlScalar, start: number, end: number): Span {
  const first = offsetInScalar(scalar, start);
  return { start: first, end: end > start ? offsetInScalar(scalar, end - 1) + 1 : first };
}

/**
 * Aligns text and source. Folding and indentation change only white space, so every other character is the next source
 * character or escape sequence.
 */
function alignScalar(scalar: YamlScalar): Int32Array {
  const { text, origin, style, span } = scalar;
  const offsets = new Int32Array(text.length);
  let at = span.start;
  if (style === 'single' || style === 'double') at += 1;
  if (style === 'literal' || style === 'folded') {
    const newline = origin.indexOf('\n', at);
    at = newline === -1 ? span.end : newline + 1;
  }
  let compared = style === 'literal' ? 0 : text.length;
  for (let index = 0; index < text.length; index += 1) {
    const wanted = text.charCodeAt(index);
    if (wanted > SPACE && index >= compared) {
      compared = endOfLine(text, index);
      const start = skipWhitespace(origin, at, span.end);
      if (start + compared - index <= span.end && origin.startsWith(text.slice(index, compared), start)) {
        at = start;
        while (index < compared) offsets[index++] = at++;
        index -= 1;
        continue;
      }
    }
    if (style === 'double' && origin[at] === '\\' && /[\r\n]/.test(origin[at + 1] ?? '')) {
      at = skipWhitespace(origin, at + 1, span.end);
    }
    if (style === 'double' && origin[at] === '\\') {
      offsets[index] = at;
      const length = ESCAPE_LENGTHS[origin[at + 1] ?? ''] ?? 2;
      // A code point above U+FFFF is two units of text.
      if (length === 10 && text.codePointAt(index) !== wanted && index + 1 < text.length) {
        index += 1;
        offsets[index] = at;
      }
      at += length;
      continue;
    }
    // Fast path: most characters are identical, and a call for each would dominate the cost.
    if (wanted > SPACE && wanted !== QUOTE && origin.charCodeAt(at) === wanted && at < span.end) {
      offsets[index] = at;
      at += 1;
      continue;
    }
    if (isWhitespace(text[index] as string)) {
      offsets[index] = Math.min(at, span.end);
      if (isWhitespace(origin[at] ?? '')) at += 1;
      continue;
    }
    at = skipWhitespace(origin, at, span.end);
    offsets[index] = Math.min(at, span.end);
    at += style === 'single' && wanted === QUOTE ? 2 : 1;
  }
  return offsets;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

const SPACE = 0x20;
const QUOTE = 0x27;

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function skipWhitespace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isWhitespace(text[at] as string)) at += 1;
  return at;
}

export interface YamlComment {
  readonly text: string;
  readonly span: Span;
}

export function commentsOf(text: string): YamlComment[] {
  const comments: YamlComment[] = [];
  let count = 0;
  let at = 0;
  let scalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_YAML_TOKENS) break;
    if (MARKS.has(lexeme)) {
      scalar = lexeme === SCALAR_MARK;
      continue;
    }
    if (!scalar && lexeme.startsWith('#')) {
      comments.push({ text: lexeme, span: { start: at, end: at + lexeme.length } });
    }
    scalar = false;
    at += lexeme.length;
  }
  return comments;
}

/** https://eemeli.org/yaml/#lexer */
const SCALAR_MARK = '\u001F';
const MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR_MARK]);

export function entryOf(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.kind === 'mapping' ? node.entries.get(key) : undefined;
}

export function valueOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return entryOf(node, key)?.value;
}
