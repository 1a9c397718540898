import type { Diagnostic } from '../text/diagnostic.ts';
import {
  MAX_DIAGNOSTICS_PER_FILE,
  MAX_EXPANDED_NODES,
  MAX_EXPRESSION_LENGTH,
  MAX_KEY_LENGTH,
  MAX_LINE_LENGTH,
  MAX_NAME_LENGTH,
} from '../text/limits.ts';
import type { Span } from '../text/source.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

interface NodeBase {
  readonly span: Span;
  /** True if an alias refers to this node, so that an edit changes several places. */
  readonly shared: boolean;
  readonly size: number;
}

export interface YamlScalar extends NodeBase {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** Source text for numbers and booleans (`1.10`); empty for null. */
  readonly text: string;
  readonly style: ScalarStyle;
  readonly origin: string;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
  readonly span: Span;
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
  readonly root: YamlNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Placed {
  readonly node: YamlNode;
  /** End of the text here; the node itself may be elsewhere, behind an alias. */
  readonly end: number;
}

export class ExpandsTooFar extends Error {}

export const LONGEST: ReadonlyMap<string, number> = new Map([
  ...['uses', 'image', 'container', 'runs-on', 'shell', 'working-directory', 'id', 'needs'].map(
    (key) => [key, MAX_NAME_LENGTH] as const,
  ),
  ['if', MAX_EXPRESSION_LENGTH],
]);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Builds the tree for either library: aliases share nodes, merge keys are resolved, unsupported nodes become
 * diagnostics.
 */
export class TreeBuilder {
  readonly diagnostics: Diagnostic[];
  readonly #text: string;
  readonly #anchors = new Map<string, Mutable<YamlNode>>();
  readonly #unread = new Set<YamlNode>();
  #merged = 0;

  constructor(text: string, diagnostics: Diagnostic[]) {
    this.#text = text;
    this.diagnostics = diagnostics;
  }

  /** Call after building the children, so that an alias inside its own anchor stays unresolved. */
  anchor(name: string, node: YamlNode): void {
    this.#anchors.set(name, node);
  }

  alias(name: string, span: Span): Placed {
    const target = this.#anchors.get(name);
    if (target !== undefined) {
      target.shared = true;
      return { node: target, end: span.end };
    }
    this.#report(`The alias "${shorten(name)}" names no anchor before it.`, span);
    return { node: this.empty(span.start), end: span.end };
  }

  scalar(value: unknown, raw: string, style: ScalarStyle, span: Span): YamlScalar {
    const block = style === 'literal' || style === 'folded';
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const scalar: YamlScalar = {
      kind: 'scalar',
      // Line breaks after a block scalar belong to what follows it.
      span: block ? { start: span.start, end: trimmedEnd(this.#text, span) } : span,
      value: known ? value : null,
      text: typeof value === 'string' ? value : known ? raw : '',
      style,
      origin: this.#text,
      shared: false,
      size: 1,
    };
    const longest = longestLine(scalar.text);
    if (longest > MAX_LINE_LENGTH) {
      this.#unread.add(scalar);
      this.#report(`A line has ${longest} characters; at most ${MAX_LINE_LENGTH} are read.`, span);
    }
    return scalar;
  }

  empty(offset: number): YamlScalar {
    return this.scalar(null, '', 'plain', { start: offset, end: offset });
  }

  /** @param end The closing bracket's of a flow collection; a block ends with its last item. */
  sequence(placed: readonly Placed[], start: number, end: number | undefined): YamlSequence {
    let size = 1;
    for (const { node } of placed) size += node.size;
    return {
      kind: 'sequence',
      span: { start, end: end ?? placed.at(-1)?.end ?? start },
      items: placed.flatMap(({ node }) => (this.#unread.has(node) ? [] : [node])),
      flow: end !== undefined,
      shared: false,
      size,
    };
  }

  mapping(pairs: readonly (readonly [Placed, Placed])[], start: number, end: number | undefined): YamlMapping {
    const entries = new Map<string, YamlEntry>();
    const merges: YamlNode[] = [];
    let size = 1;
    for (const [{ node: key }, { node: value, end: valueEnd }] of pairs) {
      if (key.kind !== 'scalar') {
        this.#report('A key must be a plain name.', key.span);
        continue;
      }
      size += 1 + value.size;
      if (key.text === '<<' && key.style === 'plain') {
        merges.push(value);
        continue;
      }
      if (this.#unread.has(value) || this.#isTooLong(key, value)) continue;
      if (entries.has(key.text)) {
        this.#report(`The key "${shorten(key.text)}" is already defined in this mapping.`, key.span);
        continue;
      }
      entries.set(key.text, { key, value, span: { start: key.span.start, end: valueEnd }, merged: false });
    }
    for (const merge of merges) {
      for (const source of merge.kind === 'sequence' ? merge.items : [merge]) {
        if (source.kind !== 'mapping') continue;
        this.#merged += source.entries.size;
        if (this.#merged > MAX_EXPANDED_NODES) throw new ExpandsTooFar();
        for (const [name, entry] of source.entries) {
          if (!entries.has(name)) entries.set(name, { ...entry, merged: true });
        }
      }
    }
    return {
      kind: 'mapping',
      span: { start, end: end ?? pairs.at(-1)?.[1].end ?? start },
      entries,
      flow: end !== undefined,
      shared: false,
      size,
    };
  }

  #isTooLong(key: YamlScalar, value: YamlNode): boolean {
    if (key.text.length > MAX_KEY_LENGTH) {
      this.#report(`A key has ${key.text.length} characters; at most ${MAX_KEY_LENGTH} are read.`, key.span);
      return true;
    }
    const limit = LONGEST.get(key.text);
    if (limit === undefined || value.kind === 'mapping') return false;
    for (const node of value.kind === 'sequence' ? value.items : [value]) {
      if (node.kind !== 'scalar' || node.text.length <= limit) continue;
      this.#report(`"${key.text}" has ${node.text.length} characters; at most ${limit} are read.`, node.span);
      return true;
    }
    return false;
  }

  #report(message: string, span: Span): void {
    if (this.diagnostics.length < MAX_DIAGNOSTICS_PER_FILE) {
      this.diagnostics.push({ severity: 'error', message, span });
    }
  }
}

function longestLine(text: string): number {
  if (text.length <= MAX_LINE_LENGTH) return 0;
  let longest = 0;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  return Math.max(longest, text.length - start);
}

function trimmedEnd(text: string, { start, end }: Span): number {
  let at = end;
  while (at > start && isWhitespace(text[at - 1] as string)) at -= 1;
  return at;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export function isWhitespace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
