import type { Alias, CST, Document, ParsedNode, Scalar } from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Diagnostic } from './diagnostic.ts';
import { MAX_DIAGNOSTICS_PER_FILE, MAX_EXPANDED_NODES, MAX_YAML_DEPTH, MAX_YAML_TOKENS } from './limits.ts';
import type { Span } from './source.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

interface NodeBase {
  readonly span: Span;
  /** True when an alias refers to this node: it stands in several places, so an edit of it changes them all. */
  readonly shared: boolean;
  /** Nodes below and including this one, those behind an alias counted at each use. */
  readonly size: number;
}

export interface YamlScalar extends NodeBase {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The value as text: what stands in the file for numbers and booleans (`1.10`), empty for null. */
  readonly text: string;
  readonly style: ScalarStyle;
  /** The document's text, for mapping an index of `text` back to an offset. */
  readonly origin: string;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
  /** From the key's start to the value's end. */
  readonly span: Span;
  /** True when the entry comes from a merge key (`<<`). */
  readonly merged: boolean;
}

export interface YamlMapping extends NodeBase {
  readonly kind: 'mapping';
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly flow: boolean;
}

export interface YamlSequence extends NodeBase {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
  readonly flow: boolean;
}

export type YamlNode = YamlScalar | YamlMapping | YamlSequence;

export interface YamlDocument {
  /** Absent when the text is empty, or too large or broken to be read as a tree. */
  readonly root: YamlNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses one YAML document once into a tree with offsets. Aliases share the node they name, merge keys are resolved.
 * Bounded in tokens, depth and expanded size before anything expands; whatever is wrong is a diagnostic, never thrown.
 */
export function parseYaml(text: string): YamlDocument {
  const tokens = readTokens(text);
  if ('refusal' in tokens) {
    return { root: undefined, diagnostics: [tokens.refusal] };
  }
  const composer = new Composer({ uniqueKeys: false, version: '1.2', strict: true });
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokens.tokens, true, text.length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  const document = documents[0];
  const diagnostics: Diagnostic[] = [];
  if (document === undefined) return { root: undefined, diagnostics };
  for (const problem of document.errors) {
    // The composer's own words quote the text and may be long; the first line says it.
    const message = problem.message.split('\n')[0] as string;
    diagnostics.push({ severity: 'error', message, span: { start: problem.pos[0], end: problem.pos[1] } });
  }
  if (documents.length > 1) {
    diagnostics.push({ severity: 'error', message: 'The file holds several YAML documents; the first is read.' });
  }
  if (document.contents === null) return { root: undefined, diagnostics };
  const converter = new Converter(text, diagnostics);
  const root = converter.convert(document.contents);
  if (root.size > MAX_EXPANDED_NODES) {
    return {
      root: undefined,
      diagnostics: [
        {
          severity: 'error',
          message: `The file expands to more than ${MAX_EXPANDED_NODES} values and is not read.`,
          span: root.span,
        },
      ],
    };
  }
  return { root, diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE) };
}

function readTokens(text: string): { tokens: CST.Token[] } | { refusal: Diagnostic } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_YAML_TOKENS) {
      return refuse(`The file has more than ${MAX_YAML_TOKENS} YAML tokens and is not read.`);
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_YAML_DEPTH) {
      return refuse(`The file nests deeper than ${MAX_YAML_DEPTH} levels and is not read.`);
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function refuse(message: string): { refusal: Diagnostic } {
  return { refusal: { severity: 'error', message } };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class Converter {
  readonly #text: string;
  readonly #diagnostics: Diagnostic[];
  readonly #anchors = new Map<string, Mutable<YamlNode>>();

  constructor(text: string, diagnostics: Diagnostic[]) {
    this.#text = text;
    this.#diagnostics = diagnostics;
  }

  convert(node: ParsedNode): YamlNode {
    if (isAlias(node)) return this.#resolve(node);
    const converted = this.#build(node);
    // Set after the children: an alias inside its own anchor would be a cycle, and is reported as unresolved.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, converted);
    return converted;
  }

  #build(node: Exclude<ParsedNode, Alias.Parsed>): YamlNode {
    const span = { start: node.range[0], end: node.range[1] };
    if (isScalar(node)) return this.#scalar(node, span);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(item));
      return {
        kind: 'sequence',
        span,
        items,
        flow: node.flow === true,
        shared: false,
        size: items.reduce((sum, item) => sum + item.size, 1),
      };
    }
    if (!isMap(node)) throw new TypeError('unknown YAML node');
    const entries = new Map<string, YamlEntry>();
    const merges: YamlNode[] = [];
    let size = 1;
    for (const pair of node.items) {
      const key = this.convert(pair.key);
      if (key.kind !== 'scalar') {
        this.#report('A key must be a plain name.', key.span);
        continue;
      }
      const value = pair.value === null ? this.#empty(key.span.end) : this.convert(pair.value);
      size += 1 + value.size;
      if (key.text === '<<' && key.style === 'plain') {
        merges.push(value);
        continue;
      }
      if (entries.has(key.text)) {
        this.#report(`The key "${shorten(key.text)}" is already defined in this mapping.`, key.span);
        continue;
      }
      // A value behind an alias stands elsewhere in the file; its entry ends with the alias itself.
      const end = pair.value === null ? key.span.end : isAlias(pair.value) ? pair.value.range[1] : value.span.end;
      entries.set(key.text, { key, value, span: { start: key.span.start, end }, merged: false });
    }
    for (const merge of merges) {
      for (const source of merge.kind === 'sequence' ? merge.items : [merge]) {
        if (source.kind !== 'mapping') continue;
        for (const [name, entry] of source.entries) {
          if (!entries.has(name)) entries.set(name, { ...entry, merged: true });
        }
      }
    }
    return { kind: 'mapping', span, entries, flow: node.flow === true, shared: false, size };
  }

  #scalar(node: Scalar.Parsed, span: Span): YamlScalar {
    const { value } = node;
    const raw = node.source ?? '';
    const style = SCALAR_STYLES[node.type ?? 'PLAIN'] ?? 'plain';
    const block = style === 'literal' || style === 'folded';
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return {
      kind: 'scalar',
      // The line breaks after a block belong to what follows it.
      span: block ? { start: span.start, end: trimmedEnd(this.#text, span) } : span,
      value: known ? value : null,
      text: typeof value === 'string' ? value : known ? raw : '',
      style,
      origin: this.#text,
      shared: false,
      size: 1,
    };
  }

  #empty(offset: number): YamlScalar {
    return {
      kind: 'scalar',
      span: { start: offset, end: offset },
      value: null,
      text: '',
      style: 'plain',
      origin: this.#text,
      shared: false,
      size: 1,
    };
  }

  #resolve(node: Alias.Parsed): YamlNode {
    const target = this.#anchors.get(node.source);
    if (target !== undefined) {
      target.shared = true;
      return target;
    }
    this.#report(`The alias "${shorten(node.source)}" names no anchor before it.`, {
      start: node.range[0],
      end: node.range[1],
    });
    return this.#empty(node.range[0]);
  }

  #report(message: string, span: Span): void {
    if (this.#diagnostics.length < MAX_DIAGNOSTICS_PER_FILE) {
      this.#diagnostics.push({ severity: 'error', message, span });
    }
  }
}

function trimmedEnd(text: string, { start, end }: Span): number {
  let at = end;
  while (at > start && isWhitespace(text[at - 1] as string)) at -= 1;
  return at;
}

const SCALAR_STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const offsetTables = new WeakMap<YamlScalar, Int32Array>();

/**
 * The file offset of a character of a scalar's text, through indentation, folding and escapes. An index at the end of
 * the text gives the offset after its last character.
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

/**
 * Walks text and source side by side. Folding and indentation only ever change white space, so each other character of
 * the text is the next one of the source, or the next escape sequence in double quotes.
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
  for (let index = 0; index < text.length; index += 1) {
    const wanted = text[index] as string;
    if (style === 'double' && origin[at] === '\\' && /[\r\n]/.test(origin[at + 1] ?? '')) {
      at = skipWhitespace(origin, at + 1, span.end);
    }
    if (style === 'double' && origin[at] === '\\') {
      offsets[index] = at;
      const length = ESCAPE_LENGTHS[origin[at + 1] ?? ''] ?? 2;
      // A code point above U+FFFF takes two units of the text.
      if (length === 10 && text.codePointAt(index) !== wanted.charCodeAt(0) && index + 1 < text.length) {
        index += 1;
        offsets[index] = at;
      }
      at += length;
      continue;
    }
    if (isWhitespace(wanted)) {
      offsets[index] = Math.min(at, span.end);
      if (isWhitespace(origin[at] ?? '')) at += 1;
      continue;
    }
    at = skipWhitespace(origin, at, span.end);
    offsets[index] = Math.min(at, span.end);
    at += style === 'single' && wanted === "'" ? 2 : 1;
  }
  return offsets;
}

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function isWhitespace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}

function skipWhitespace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isWhitespace(text[at] as string)) at += 1;
  return at;
}

/** A comment with its `#`. */
export interface YamlComment {
  readonly text: string;
  readonly span: Span;
}

/** The comments of a document in order. A `#` inside a scalar is none. */
export function commentsOf(text: string): YamlComment[] {
  const comments: YamlComment[] = [];
  let count = 0;
  let at = 0;
  let scalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_YAML_TOKENS) break;
    // The lexer's marks between tokens are no text of the document.
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

/** The entry of a mapping's key, or undefined for anything that is no mapping. */
export function entryOf(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.kind === 'mapping' ? node.entries.get(key) : undefined;
}

export function valueOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return entryOf(node, key)?.value;
}
