import type {
  Environment,
  Input,
  PermissionLevel,
  Permissions,
  Text,
  Uses,
  Variable,
  Variables,
} from '../model/model.ts';
import { parseReference } from '../model/reference.ts';
import { entryOf, valueOf, type YamlEntry, type YamlMapping, type YamlNode } from '../yaml/parse.ts';

export function toText(node: YamlNode | undefined): Text | undefined {
  return node?.kind === 'scalar' ? { value: node.text, span: node.span, node } : undefined;
}

export function textOf(mapping: YamlNode | undefined, key: string): Text | undefined {
  return toText(valueOf(mapping, key));
}

export function textsOf(node: YamlNode | undefined): Text[] {
  if (node === undefined) return [];
  const nodes = node.kind === 'sequence' ? node.items : [node];
  return nodes.map(toText).filter((text) => text !== undefined && text.node.value !== null) as Text[];
}

export function valuesOf(node: YamlNode | undefined): string[] | undefined {
  return node === undefined ? undefined : textsOf(node).map((text) => text.value);
}

export function readVariables(node: YamlNode | undefined): Variables | undefined {
  if (node === undefined || node.kind === 'sequence') return undefined;
  const entries: Variable[] = [];
  if (node.kind === 'mapping') {
    for (const [name, entry] of node.entries) {
      const value = toText(entry.value);
      if (value !== undefined) entries.push({ name, key: entry.key, value, span: entry.span });
    }
  }
  const whole = toText(node);
  return new ReadVariables(entries, node.span, whole?.value.includes('${{') === true ? whole : undefined);
}

class ReadVariables implements Variables {
  readonly entries: readonly Variable[];
  readonly span: Variables['span'];
  readonly expression: Text | undefined;
  #byName: Map<string, Variable> | undefined;

  constructor(entries: readonly Variable[], span: Variables['span'], expression: Text | undefined) {
    this.entries = entries;
    this.span = span;
    this.expression = expression;
  }

  get(name: string): Variable | undefined {
    if (this.entries.length === 0) return undefined;
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const variable of this.entries) this.#byName.set(variable.name.toLowerCase(), variable);
    }
    return this.#byName.get(name.toLowerCase());
  }
}

const LEVELS: ReadonlySet<string> = new Set(['none', 'read', 'write']);

export function readPermissions(mapping: YamlMapping): Permissions | undefined {
  const entry = entryOf(mapping, 'permissions');
  if (entry === undefined) return undefined;
  const base = { span: entry.span, keySpan: entry.key.span, node: entry.value };
  const word = toText(entry.value)?.value;
  if (entry.value.kind !== 'mapping') {
    return { ...base, all: word === 'read-all' || word === 'write-all' ? word : undefined, scopes: [] };
  }
  const scopes = [...entry.value.entries].flatMap(([scope, { value, span }]) => {
    const level = toText(value)?.value ?? '';
    return LEVELS.has(level) ? [{ scope, level: level as PermissionLevel, span }] : [];
  });
  return { ...base, all: undefined, scopes };
}

export function readEnvironment(mapping: YamlMapping): Environment | undefined {
  const entry = entryOf(mapping, 'environment');
  if (entry === undefined) return undefined;
  return { name: toText(entry.value) ?? textOf(entry.value, 'name'), span: entry.span };
}

export function readInputs(node: YamlNode | undefined): Input[] {
  if (node?.kind !== 'mapping') return [];
  return [...node.entries].map(([name, { key, value }]) => ({
    name,
    span: key.span,
    type: textOf(value, 'type')?.value ?? 'string',
    required: textOf(value, 'required')?.value === 'true',
    defaultValue: textOf(value, 'default'),
    deprecated: textOf(value, 'deprecationMessage'),
  }));
}

export function readUses(mapping: YamlMapping, text: string): Uses | undefined {
  const entry = entryOf(mapping, 'uses');
  const value = toText(entry?.value);
  if (entry === undefined || value === undefined) return undefined;
  return { text: value, span: entry.span, reference: parseReference(value.value), comment: commentAfter(entry, text) };
}

function commentAfter(entry: YamlEntry, text: string): string | undefined {
  const rest = text.slice(entry.value.span.end, lineEnd(text, entry.value.span.end));
  return /^\s+#([\s\S]*)/.exec(rest)?.[1]?.trim();
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

export function defaultShellOf(mapping: YamlMapping): Text | undefined {
  return textOf(valueOf(valueOf(mapping, 'defaults'), 'run'), 'shell');
}
