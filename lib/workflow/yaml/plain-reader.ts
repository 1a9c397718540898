import { MAX_FILE_BYTES, MAX_KEY_LENGTH, MAX_LINE_LENGTH, MAX_NAME_LENGTH } from '../text/limits.ts';
import { blockText, doubleQuoted, ENDS_FLOW_KEY, foldedBreaks, startsPlain, withoutSpaces } from './plain-texts.ts';
import { plainValue } from './plain-value.ts';
import {
  LONGEST,
  type ScalarStyle,
  type YamlDocument,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
  type YamlSequence,
} from './tree.ts';

/**
 * Reads the YAML that most workflows are written in: block mappings and sequences, scalars, comments, and flow
 * collections on one line. Undefined for anything else, and for every file that would have a diagnostic.
 */
export function readPlainYaml(text: string): YamlDocument | undefined {
  if (text.length > MAX_FILE_BYTES || UNUSUAL.test(text) || !text.isWellFormed()) return undefined;
  if (text.startsWith(' ') || text.endsWith(' ')) return undefined;
  try {
    return { root: new PlainReader(text).read(), diagnostics: [] };
  } catch (error) {
    if (error === GIVE_UP) return undefined;
    throw error;
  }
}

const UNUSUAL = /[^\n -~\u00A1-\u1FFF\u2010-\u2027\u2030-\uDFFF\uF900-\uFE0F]/;

const GIVE_UP = new Error('this is not plain YAML');
const MAX_NODES = 12_000;
const MAX_DEPTH = 20;

const LF = 0x0a;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const FOLDED = 0x3e;
const OPEN_SEQUENCE = 0x5b;
const CLOSE_SEQUENCE = 0x5d;
const OPEN_MAPPING = 0x7b;
const LITERAL = 0x7c;
const CLOSE_MAPPING = 0x7d;

class PlainReader {
  readonly #origin: string;
  readonly #text: string;
  #at = 0;
  /** Column of what is at `#at`; -1 at the end of the file. */
  #indent = 0;
  #afterComment = false;
  #nodes = 0;
  #colon = -1;

  constructor(text: string) {
    this.#origin = text;
    this.#text = text.endsWith('\n') ? text : `${text}\n`;
  }

  read(): YamlNode {
    this.#enterLine(0);
    if (this.#text.startsWith('---\n', this.#at) && this.#indent === 0) this.#enterLine(this.#at + 4);
    if (this.#indent !== 0) throw GIVE_UP;
    const root = this.#node(-1, 0, 0);
    if (root.kind === 'scalar' || (this.#indent as number) !== -1) throw GIVE_UP;
    return root;
  }

  #enterLine(from: number): void {
    const text = this.#text;
    this.#afterComment = false;
    let line = from;
    while (line < text.length) {
      let at = line;
      let code = text.charCodeAt(at);
      while (code === SPACE) code = text.charCodeAt(++at);
      if (code === LF) {
        line = at + 1;
      } else if (code === HASH) {
        this.#afterComment = true;
        line = text.indexOf('\n', at) + 1;
      } else {
        this.#at = at;
        this.#indent = at - line;
        return;
      }
    }
    this.#indent = -1;
  }

  #leaveLine(end: number): void {
    const text = this.#text;
    const at = this.#skipSpaces(end);
    const code = text.charCodeAt(at);
    if (code === LF) return this.#enterLine(at + 1);
    if (code !== HASH || at === end) throw GIVE_UP;
    this.#enterLine(text.indexOf('\n', at) + 1);
    this.#afterComment = true;
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  #isBlankAt(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === SPACE || code === LF;
  }

  #isDash(): boolean {
    return this.#text.charCodeAt(this.#at) === DASH && this.#isBlankAt(this.#at + 1);
  }

  #node(parent: number, column: number, depth: number): YamlNode {
    if (depth > MAX_DEPTH) throw GIVE_UP;
    if (this.#isDash()) return this.#sequence(column, depth);
    const start = this.#at;
    const key = this.#key(column);
    return key === undefined ? this.#inline(start, parent) : this.#mapping(key, column, depth);
  }

  #mapping(first: YamlScalar, column: number, depth: number): YamlMapping {
    const entries = new Map<string, YamlEntry>();
    let size = 1;
    let end = 0;
    let key: YamlScalar | undefined = first;
    for (;;) {
      const value = this.#value(column, depth);
      size += 1 + value.size;
      end = value.span.end;
      addEntry(entries, key, value);
      if (this.#indent !== column) break;
      key = this.#key(column);
      if (key === undefined) throw GIVE_UP;
    }
    if (this.#indent > column) throw GIVE_UP;
    const span = { start: first.span.start, end };
    return { kind: 'mapping', span, entries, flow: false, shared: false, size };
  }

  #key(column: number): YamlScalar | undefined {
    const text = this.#text;
    const start = this.#at;
    const code = text.charCodeAt(start);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      const key = this.#quoted(start);
      const colon = this.#skipSpaces(key.span.end);
      if (text.charCodeAt(colon) !== COLON) return undefined;
      if (!this.#isBlankAt(colon + 1) || key.text.length > MAX_KEY_LENGTH) throw GIVE_UP;
      this.#at = colon + 1;
      return key;
    }
    if (!startsPlain(code) || this.#isDash() || (column === 0 && this.#isMark(start))) return undefined;
    const lineEnd = text.indexOf('\n', start);
    let colon = this.#colonFrom(start);
    while (colon + 1 < lineEnd && text.charCodeAt(colon + 1) !== SPACE) colon = this.#colonFrom(colon + 1);
    if (colon >= lineEnd) return undefined;
    const name = text.slice(start, colon);
    if (name.includes(' #')) return undefined;
    const raw = withoutSpaces(name);
    if (raw === '<<' || raw.length > MAX_KEY_LENGTH) throw GIVE_UP;
    this.#at = colon + 1;
    return this.#plainScalar(raw, start, start + raw.length);
  }

  /** Cached, since the colon may be far away. */
  #colonFrom(at: number): number {
    if (this.#colon < at) {
      const found = this.#text.indexOf(':', at);
      this.#colon = found === -1 ? this.#text.length : found;
    }
    return this.#colon;
  }

  #isMark(at: number): boolean {
    return this.#text.startsWith('---', at) || this.#text.startsWith('...', at);
  }

  #value(column: number, depth: number): YamlNode {
    const at = this.#skipSpaces(this.#at);
    const code = this.#text.charCodeAt(at);
    if (code !== LF && code !== HASH) return this.#inline(at, column);
    this.#leaveLine(this.#at);
    if (this.#indent > column) return this.#node(column, this.#indent, depth + 1);
    if (this.#indent === column && this.#isDash()) return this.#sequence(column, depth + 1);
    return this.#scalar(null, '', 'plain', at, at);
  }

  #sequence(column: number, depth: number): YamlSequence {
    const start = this.#at;
    const items: YamlNode[] = [];
    let size = 1;
    let end = 0;
    do {
      const dash = this.#at;
      const at = this.#skipSpaces(dash + 1);
      const code = this.#text.charCodeAt(at);
      let inner = column + at - dash;
      if (code === LF || code === HASH) {
        this.#leaveLine(dash + 1);
        if (this.#indent <= column) throw GIVE_UP;
        inner = this.#indent;
      } else {
        this.#at = at;
      }
      const item = this.#node(column, inner, depth + 1);
      if (item.kind === 'scalar' && item.text.length > MAX_NAME_LENGTH) throw GIVE_UP;
      items.push(item);
      size += item.size;
      end = item.span.end;
    } while (this.#indent === column && this.#isDash());
    if (this.#indent > column) throw GIVE_UP;
    return { kind: 'sequence', span: { start, end }, items, flow: false, shared: false, size };
  }

  #inline(at: number, parent: number): YamlNode {
    const code = this.#text.charCodeAt(at);
    if (code === LITERAL || code === FOLDED) return this.#block(at, parent);
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE && code !== OPEN_SEQUENCE && code !== OPEN_MAPPING) {
      return this.#plain(at, parent);
    }
    const node = this.#flowNode(at, 0);
    this.#leaveLine(node.span.end);
    return node;
  }

  #plain(start: number, parent: number): YamlScalar {
    const text = this.#text;
    if (!startsPlain(text.charCodeAt(start))) throw GIVE_UP;
    if (text.charCodeAt(start) === DASH && this.#isBlankAt(start + 1)) throw GIVE_UP;
    let raw = '';
    let at = start;
    for (;;) {
      const lineEnd = text.indexOf('\n', at);
      const line = text.slice(at, lineEnd);
      const comment = line.indexOf(' #');
      const part = withoutSpaces(comment === -1 ? line : line.slice(0, comment));
      if (part.endsWith(':') || part.includes(': ')) throw GIVE_UP;
      raw = raw === '' ? part : raw + part;
      const end = at + part.length;
      this.#enterLine(lineEnd + 1);
      if (this.#indent <= parent) return this.#plainScalar(raw, start, end);
      if (comment !== -1 || this.#afterComment) throw GIVE_UP;
      at = this.#at;
      raw += foldedBreaks(text, lineEnd, at);
    }
  }

  #plainScalar(raw: string, start: number, end: number): YamlScalar {
    const value = plainValue(raw);
    return this.#scalar(value, value === null ? '' : raw, 'plain', start, end);
  }

  #quoted(start: number): YamlScalar {
    const text = this.#text;
    if (text.charCodeAt(start) === SINGLE_QUOTE) {
      let close = text.indexOf("'", start + 1);
      while (close !== -1 && text.charCodeAt(close + 1) === SINGLE_QUOTE) close = text.indexOf("'", close + 2);
      const body = text.slice(start + 1, close);
      if (close === -1 || body.includes('\n')) throw GIVE_UP;
      const value = body.replaceAll("''", "'");
      return this.#scalar(value, value, 'single', start, close + 1);
    }
    const quoted = doubleQuoted(text, start);
    if (quoted === undefined) throw GIVE_UP;
    return this.#scalar(quoted.value, quoted.value, 'double', start, quoted.end);
  }

  #flowNode(start: number, depth: number): YamlNode {
    const code = this.#text.charCodeAt(start);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return this.#quoted(start);
    if (depth > MAX_DEPTH) throw GIVE_UP;
    if (code === OPEN_SEQUENCE) return this.#flowSequence(start, depth);
    if (code === OPEN_MAPPING) return this.#flowMapping(start, depth);
    return this.#flowPlain(start);
  }

  #flowSequence(start: number, depth: number): YamlSequence {
    const items: YamlNode[] = [];
    let size = 1;
    let at = this.#skipSpaces(start + 1);
    while (this.#text.charCodeAt(at) !== CLOSE_SEQUENCE) {
      const item = this.#flowNode(at, depth + 1);
      if (item.kind === 'scalar' && item.text.length > MAX_NAME_LENGTH) throw GIVE_UP;
      items.push(item);
      size += item.size;
      at = this.#afterItem(item.span.end, CLOSE_SEQUENCE);
    }
    const span = { start, end: at + 1 };
    return { kind: 'sequence', span, items, flow: true, shared: false, size };
  }

  #flowMapping(start: number, depth: number): YamlMapping {
    const entries = new Map<string, YamlEntry>();
    let size = 1;
    let at = this.#skipSpaces(start + 1);
    while (this.#text.charCodeAt(at) !== CLOSE_MAPPING) {
      const key = this.#flowNode(at, depth + 1);
      const colon = this.#skipSpaces(key.span.end);
      if (key.kind !== 'scalar' || key.text.length > MAX_KEY_LENGTH) throw GIVE_UP;
      if ((key.style === 'plain' && key.text === '<<') || !this.#text.startsWith(': ', colon)) throw GIVE_UP;
      const value = this.#flowNode(this.#skipSpaces(colon + 1), depth + 1);
      addEntry(entries, key, value);
      size += 1 + value.size;
      at = this.#afterItem(value.span.end, CLOSE_MAPPING);
    }
    const span = { start, end: at + 1 };
    return { kind: 'mapping', span, entries, flow: true, shared: false, size };
  }

  #afterItem(end: number, close: number): number {
    const at = this.#skipSpaces(end);
    const code = this.#text.charCodeAt(at);
    if (code === COMMA) return this.#skipSpaces(at + 1);
    if (code !== close) throw GIVE_UP;
    return at;
  }

  #flowPlain(start: number): YamlScalar {
    const text = this.#text;
    if (!startsPlain(text.charCodeAt(start))) throw GIVE_UP;
    if (text.charCodeAt(start) === DASH && ENDS_FLOW_KEY.includes(text.charAt(start + 1))) throw GIVE_UP;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === COMMA || code === CLOSE_SEQUENCE || code === CLOSE_MAPPING) break;
      if (code === COLON && ENDS_FLOW_KEY.includes(text.charAt(at + 1))) break;
      if (code === LF || code === OPEN_SEQUENCE || code === OPEN_MAPPING) throw GIVE_UP;
      if (code === HASH && text.charCodeAt(at - 1) === SPACE) throw GIVE_UP;
      at += 1;
    }
    const raw = withoutSpaces(text.slice(start, at));
    return this.#plainScalar(raw, start, start + raw.length);
  }

  #block(start: number, parent: number): YamlScalar {
    const text = this.#text;
    const folded = text.charCodeAt(start) === FOLDED;
    const mark = text.charCodeAt(start + 1);
    const header = mark === DASH || mark === PLUS ? start + 2 : start + 1;
    const afterHeader = this.#skipSpaces(header);
    const isComment = text.charCodeAt(afterHeader) === HASH && afterHeader > header;
    if (!isComment && text.charCodeAt(afterHeader) !== LF) throw GIVE_UP;
    let line = text.indexOf('\n', afterHeader) + 1;
    const first = line;
    let indent = -1;
    let end = -1;
    while (line < text.length) {
      let at = line;
      let code = text.charCodeAt(at);
      while (code === SPACE) code = text.charCodeAt(++at);
      const column = at - line;
      if (code === LF) {
        // Spaces beyond the indentation are text.
        if (column > Math.max(indent, 0)) throw GIVE_UP;
        line = at + 1;
        continue;
      }
      if (indent === -1 && column > parent) indent = column;
      if (column < indent || indent === -1) break;
      end = text.indexOf('\n', at);
      line = end + 1;
    }
    if (indent === -1) throw GIVE_UP;
    const value = blockText(text, { first, end, after: line, indent, folded, chomping: text.charAt(start + 1) });
    this.#enterLine(line);
    const spanEnd = end - (text.slice(first, end).length - withoutSpaces(text.slice(first, end)).length);
    return this.#scalar(value, value, folded ? 'folded' : 'literal', start, spanEnd);
  }

  #scalar(value: YamlScalar['value'], text: string, style: ScalarStyle, start: number, end: number): YamlScalar {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || text.length > MAX_LINE_LENGTH) throw GIVE_UP;
    const span = { start, end };
    return { kind: 'scalar', span, value, text, style, origin: this.#origin, shared: false, size: 1 };
  }
}

function addEntry(entries: Map<string, YamlEntry>, key: YamlScalar, value: YamlNode): void {
  const name = key.text;
  if (entries.has(name)) throw GIVE_UP;
  if (value.kind === 'scalar' && value.text.length > MAX_NAME_LENGTH && LONGEST.has(name)) throw GIVE_UP;
  entries.set(name, { key, value, span: { start: key.span.start, end: value.span.end }, merged: false });
}
