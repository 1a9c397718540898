import type { Definition } from '../model/model.ts';
import { entryOf, valueOf, type YamlEntry, type YamlMapping, type YamlNode } from '../yaml/parse.ts';
import type { TextEdit } from './edit.ts';
import { columnAt, lineBreakOf, lineStartAt, restOfLine } from './lines.ts';

const editableByRoot = new WeakMap<YamlMapping, boolean>();

/**
 * True if keys may be inserted. Aliases and merge keys repeat text in places that nodes do not show, so such files stay
 * untouched.
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

export function indentUnit({ root, source }: Pick<Definition, 'root' | 'source'>): string {
  for (const parent of ['jobs', 'runs', 'on', 'inputs']) {
    const first = firstEntry(valueOf(root, parent));
    const column = first === undefined ? 0 : columnAt(source.text, first.key.span.start);
    if (column > 0 && column <= 8) return ' '.repeat(column);
  }
  return '  ';
}

export function innerIndent(mapping: YamlMapping, key: string): string {
  const entry = entryOf(mapping, key);
  const inner = entry?.value.kind === 'mapping' && !entry.value.flow ? firstEntry(entry.value)?.key : undefined;
  if (entry === undefined || inner === undefined) return '  ';
  const { origin: text, span } = entry.key;
  return ' '.repeat(Math.max(1, columnAt(text, inner.span.start) - columnAt(text, span.start)));
}

export type NewValue = string | Readonly<Record<string, string>>;

export interface Placement {
  readonly before?: string;
  readonly after?: string;
  readonly below?: string;
  readonly unit?: string;
  readonly spaced?: boolean;
}

/** Sets a key: replaces an existing value, or inserts it like {@link insertKeys}. */
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

/** Inserts missing keys in one edit. Undefined for an empty or otherwise written mapping. */
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

function inBraces(value: NewValue): string {
  if (typeof value !== 'string') {
    const pairs = Object.entries(value).map(([key, each]) => `${key}: ${inBraces(each)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return /^["']/.test(value) || !/[{}[\],]/.test(value) ? value : JSON.stringify(value);
}

/**
 * Removes the lines of a key from a block mapping with other keys. Undefined if the lines contain anything else, such
 * as a comment.
 */
export function removeKey(mapping: YamlMapping, key: string): TextEdit | undefined {
  const entry = entryOf(mapping, key);
  if (entry === undefined || entry.merged || mapping.flow || mapping.shared || mapping.entries.size < 2)
    return undefined;
  const text = entry.key.origin;
  const start = lineStartAt(text, entry.span.start);
  // The span of a block mapping can end after its last line.
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

function endOf(node: YamlNode): number {
  if (node.kind === 'scalar' || node.flow) return node.span.end;
  const last = node.kind === 'sequence' ? node.items.at(-1) : [...node.entries.values()].at(-1)?.value;
  return last === undefined ? node.span.end : endOf(last);
}

function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(lineStartAt(text, offset), offset).replace(/^\uFEFF/, '');
  return /^[ -]*$/.test(before) ? ' '.repeat(before.length) : undefined;
}
