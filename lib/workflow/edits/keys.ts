import type { Definition } from '../model/model.ts';
import { entryOf, valueOf, type YamlEntry, type YamlMapping, type YamlNode } from '../yaml/parse.ts';
import type { TextEdit } from './edit.ts';
import { columnAt, lineBreakOf, lineStartAt, restOfLine } from './lines.ts';

const editableByRoot = new WeakMap<YamlMapping, boolean>();

/**
 * True if keys may be inserted anywhere in a file. With an alias or a merge key one text stands in several places, which
 * the nodes below do not show: such a file is left to its owner.
 */
export function mayInsert({ root }: Pick<Definition, 'root'>): boolean {
  let editable = editableByRoot.get(root);
  if (editable === undefined) {
    editable = !hasShared(root);
    editableByRoot.set(root, editable);
  }
  return editable;
}

function hasShared(node: YamlNode): boolean {
  if (node.shared) return true;
  if (node.kind === 'scalar') return false;
  if (node.kind === 'sequence') return node.items.some(hasShared);
  return [...node.entries.values()].some(({ value, merged }) => merged || hasShared(value));
}

/** Returns the spaces of one level of indentation in a file: that of its first job or of `runs`. */
export function indentUnit({ root, source }: Pick<Definition, 'root' | 'source'>): string {
  for (const parent of ['jobs', 'runs', 'on', 'inputs']) {
    const first = firstEntry(valueOf(root, parent));
    const column = first === undefined ? 0 : columnAt(source.text, first.key.span.start);
    if (column > 0 && column <= 8) return ' '.repeat(column);
  }
  return '  ';
}

/** Returns the spaces by which the mapping of a key is indented below the key; two where it is in braces. */
export function innerIndent(mapping: YamlMapping, key: string): string {
  const entry = entryOf(mapping, key);
  const inner = entry?.value.kind === 'mapping' && !entry.value.flow ? firstEntry(entry.value)?.key : undefined;
  if (entry === undefined || inner === undefined) return '  ';
  const { origin: text, span } = entry.key;
  return ' '.repeat(Math.max(1, columnAt(text, inner.span.start) - columnAt(text, span.start)));
}

/** What a key gets: a scalar as it is written, or a mapping of such scalars. */
export type NewValue = string | Readonly<Record<string, string>>;

/** Where new keys go in a block mapping. In a flow mapping they come last, or behind the key that `after` names. */
export interface Placement {
  /** On the line above this key; above the first key when nothing is named. */
  readonly before?: string;
  /** On the line below this key, whose value must be one line. */
  readonly after?: string;
  /** Below this key and all lines of its value. */
  readonly below?: string;
  /** One level of indentation, for a value that is a mapping: two spaces by default. */
  readonly unit?: string;
  /** An empty line follows what is inserted. */
  readonly spaced?: boolean;
}

/** Sets a key: replaces the value of one that is there, or inserts it. See {@link insertKeys}. */
export function setKey(
  mapping: YamlMapping,
  key: string,
  value: NewValue,
  placement: Placement = {},
): TextEdit | undefined {
  const entry = entryOf(mapping, key);
  return entry === undefined
    ? insertKeys(mapping, { [key]: value }, placement)
    : replaceValue(mapping, entry, value, placement);
}

function replaceValue(
  mapping: YamlMapping,
  entry: YamlEntry,
  value: NewValue,
  { unit = '  ' }: Placement,
): TextEdit | undefined {
  if (mapping.shared || entry.merged || entry.value.shared) return undefined;
  if (typeof value === 'string') return { span: entry.value.span, text: value };
  const text = entry.key.origin;
  const indent = indentOf(text, entry.key.span.start);
  if (mapping.flow || indent === undefined) return undefined;
  const lines = Object.entries(value).map(([name, each]) => `${lineBreakOf(text)}${indent}${unit}${name}: ${each}`);
  return { span: { start: entry.key.span.end + ':'.length, end: entry.value.span.end }, text: lines.join('') };
}

/** Inserts keys that a mapping does not have, in one edit. Undefined where the mapping is empty or written in another way. */
export function insertKeys(
  mapping: YamlMapping,
  values: Readonly<Record<string, NewValue>>,
  placement: Placement = {},
): TextEdit | undefined {
  const { before, after, below, unit = '  ', spaced = false } = placement;
  if (mapping.shared) return undefined;
  const named = before ?? after ?? below;
  const entry = named === undefined ? firstEntry(mapping) : entryOf(mapping, named);
  if (mapping.flow) return insertInBraces(mapping, values, after);
  if (entry === undefined || entry.merged || entry.key.shared) return undefined;
  if (below !== undefined && entry.value.shared) return undefined;
  const lines = Object.entries(values).flatMap(([key, value]) => linesOf(key, value, unit));
  if (spaced) lines.push('');
  if (after !== undefined) return isOneLine(entry) ? insertBelow(entry, entry.span.end, lines) : undefined;
  return below === undefined ? insertAbove(entry, lines) : insertBelow(entry, endOf(entry.value), lines);
}

function linesOf(key: string, value: NewValue, unit: string): string[] {
  if (typeof value === 'string') return [`${key}: ${value}`];
  return [`${key}:`, ...Object.entries(value).map(([name, each]) => `${unit}${name}: ${each}`)];
}

function insertAbove({ key }: YamlEntry, lines: readonly string[]): TextEdit | undefined {
  const { origin: text, span } = key;
  const indent = indentOf(text, span.start);
  if (indent === undefined) return undefined;
  const lineBreak = lineBreakOf(text);
  const [first = '', ...others] = lines;
  const further = [...others, undefined].map((line) =>
    line === '' ? lineBreak : `${lineBreak}${indent}${line ?? ''}`,
  );
  return { span: { start: span.start, end: span.start }, text: `${first}${further.join('')}` };
}

function insertBelow({ key }: YamlEntry, end: number, lines: readonly string[]): TextEdit | undefined {
  const text = key.origin;
  const indent = indentOf(text, key.span.start);
  const rest = restOfLine(text, end);
  if (indent === undefined || !/^[ \t]*(?:#.*)?$/.test(rest)) return undefined;
  const at = end + rest.length;
  const separator = `${lineBreakOf(text)}${indent}`;
  return { span: { start: at, end: at }, text: lines.map((line) => `${separator}${line}`).join('') };
}

function insertInBraces(
  mapping: YamlMapping,
  values: Readonly<Record<string, NewValue>>,
  after: string | undefined,
): TextEdit | undefined {
  const written = Object.entries(values)
    .map(([key, value]) => `${key}: ${inBraces(value)}`)
    .join(', ');
  const entry = after === undefined ? [...mapping.entries.values()].at(-1) : entryOf(mapping, after);
  if (entry?.merged === true) return undefined;
  if (entry === undefined)
    return mapping.entries.size === 0 ? { span: mapping.span, text: `{ ${written} }` } : undefined;
  const { end } = entry.span;
  return { span: { start: end, end }, text: `, ${written}` };
}

/** Between braces a plain scalar must not hold a brace, a bracket or a comma. */
function inBraces(value: NewValue): string {
  if (typeof value !== 'string') {
    const pairs = Object.entries(value).map(([key, each]) => `${key}: ${inBraces(each)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return /^["']/.test(value) || !/[{}[\],]/.test(value) ? value : JSON.stringify(value);
}

/**
 * Removes the lines of a key from a block mapping that has others. Undefined where something else stands on those lines,
 * a comment included.
 */
export function removeKey(mapping: YamlMapping, key: string): TextEdit | undefined {
  const entry = entryOf(mapping, key);
  if (entry === undefined || entry.merged || mapping.flow || mapping.shared || mapping.entries.size < 2)
    return undefined;
  const text = entry.key.origin;
  const start = lineStartAt(text, entry.span.start);
  // A block mapping may end behind its last line.
  const last = entry.span.start + text.slice(entry.span.start, entry.span.end).trimEnd().length;
  const end = text.indexOf('\n', last);
  const alone = text.slice(start, entry.span.start).trim() === '' && end !== -1;
  return alone && text.slice(last, end).trim() === '' ? { span: { start, end: end + 1 }, text: '' } : undefined;
}

function firstEntry(node: YamlNode | undefined): YamlEntry | undefined {
  return node?.kind === 'mapping' ? [...node.entries.values()].find(({ merged }) => !merged) : undefined;
}

function isOneLine({ key, span }: YamlEntry): boolean {
  return !key.origin.slice(span.start, span.end).includes('\n');
}

/** A block collection may end behind its last line, and its last scalar does not. */
function endOf(node: YamlNode): number {
  if (node.kind === 'scalar' || node.flow) return node.span.end;
  const last = node.kind === 'sequence' ? node.items.at(-1) : [...node.entries.values()].at(-1)?.value;
  return last === undefined ? node.span.end : endOf(last);
}

/** Returns spaces as wide as what stands before a key in its line; undefined when that is more than indentation and dashes. */
function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(lineStartAt(text, offset), offset).replace(/^\uFEFF/, '');
  return /^[ -]*$/.test(before) ? ' '.repeat(before.length) : undefined;
}
