import type { Definition } from '../model/model.ts';
import { valueOf, type YamlEntry, type YamlMapping, type YamlNode } from '../yaml/parse.ts';
import { lineBreakOf, type TextEdit } from './edit.ts';

const editableByRoot = new WeakMap<YamlMapping, boolean>();

/**
 * Whether keys may be inserted into a file. An alias or a merge key makes one text stand in several places, and what
 * is shared does not say so of everything below it: such a file is left to its owner.
 */
export function mayInsert({ root }: Definition): boolean {
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

/** The spaces that one level of a file's mappings is indented by: that of its first job or of `runs`. */
export function indentUnit({ root, source }: Definition): string {
  for (const parent of ['jobs', 'runs', 'on', 'inputs']) {
    const first = firstEntry(valueOf(root, parent));
    const column = first === undefined ? 0 : columnOf(source.text, first.key.span.start);
    if (column > 0 && column <= 8) return ' '.repeat(column);
  }
  return '  ';
}

/** A key with its value: lines of which the further ones are indented relative to the key. */
export type KeyLines = readonly [string, ...string[]];

/** Inserts a key before all others of a mapping in block style; undefined for another style, or an empty mapping. */
export function insertFirst(mapping: YamlMapping, text: string, lines: KeyLines): TextEdit | undefined {
  const first = firstEntry(mapping);
  if (first === undefined || mapping.flow) return undefined;
  return insertBefore(first, text, lines);
}

export function insertBefore(entry: YamlEntry, text: string, lines: KeyLines): TextEdit | undefined {
  const { start } = entry.key.span;
  const indent = indentOf(text, start);
  if (indent === undefined) return undefined;
  const separator = `${lineBreakOf(text)}${indent}`;
  // An empty line stays empty.
  const body = lines.map((line, index) => (index === 0 || line !== '' ? line : undefined));
  let result = '';
  for (const line of body)
    result += line === undefined ? lineBreakOf(text) : `${result === '' ? '' : separator}${line}`;
  return { span: { start, end: start }, text: `${result}${separator}` };
}

/**
 * Inserts a key after the line of an entry whose value is one line, or inside the braces of a flow mapping as
 * `flowText`; undefined when the entry's value spans lines.
 */
export function insertAfter(
  mapping: YamlMapping,
  entry: YamlEntry,
  text: string,
  lines: KeyLines,
  flowText: string,
): TextEdit | undefined {
  const { start, end } = entry.span;
  if (mapping.flow) return { span: { start: end, end }, text: `, ${flowText}` };
  const indent = indentOf(text, start);
  if (indent === undefined || text.slice(start, end).includes('\n')) return undefined;
  const rest = /^[^\r\n]*/.exec(text.slice(end))?.[0] ?? '';
  if (!/^[ \t]*(?:#.*)?$/.test(rest)) return undefined;
  const at = end + rest.length;
  const separator = `${lineBreakOf(text)}${indent}`;
  return { span: { start: at, end: at }, text: lines.map((line) => `${separator}${line}`).join('') };
}

/**
 * Takes the lines of an entry out of a mapping in block style that has others; undefined where something else stands on
 * those lines, a comment too.
 */
export function removeEntry(mapping: YamlMapping, entry: YamlEntry, text: string): TextEdit | undefined {
  if (mapping.flow || mapping.shared || mapping.entries.size < 2) return undefined;
  const start = text.lastIndexOf('\n', entry.span.start - 1) + 1;
  // A mapping in block style may end behind its last line.
  const last = entry.span.start + text.slice(entry.span.start, entry.span.end).trimEnd().length;
  const end = text.indexOf('\n', last);
  const alone = text.slice(start, entry.span.start).trim() === '' && end !== -1;
  return alone && text.slice(last, end).trim() === '' ? { span: { start, end: end + 1 }, text: '' } : undefined;
}

export function firstEntry(node: YamlNode | undefined): YamlEntry | undefined {
  return node?.kind === 'mapping' ? [...node.entries.values()].find(({ merged }) => !merged) : undefined;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Spaces as wide as what stands before a key in its line; undefined when that is more than indentation and dashes. */
function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).replace(/^\uFEFF/, '');
  return /^[ -]*$/.test(before) ? ' '.repeat(before.length) : undefined;
}
