import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { MAX_FILE_BYTES, MAX_YAML_DEPTH } from '../text/limits.ts';
import type { Span } from '../text/source.ts';
import { plainValue } from './plain-value.ts';
import { type Placed, type ScalarStyle, TreeBuilder, type YamlDocument } from './tree.ts';

const MAX_EVENTS = 50_000;

/**
 * Reads a file with one plain document, several times as fast as {@link recoverYaml}. Undefined for errors, several
 * documents, tags, directives, and empty values with an unclear position.
 */
export function readYamlEvents(text: string): YamlDocument | undefined {
  if (text.length > MAX_FILE_BYTES || isDoubtful(text)) return undefined;
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth: MAX_YAML_DEPTH - 4 });
  } catch (error) {
    if (error instanceof YAMLException) return undefined;
    throw error;
  }
  if (events.length > MAX_EVENTS) return undefined;
  try {
    return new EventReader(text, events).read();
  } catch (error) {
    if (error instanceof Unplain) return undefined;
    throw error;
  }
}

/**
 * True for text that the two libraries treat differently: lone carriage returns, an inner byte order mark, an indented
 * first line, a trailing tab.
 */
function isDoubtful(text: string): boolean {
  return /\r(?!\n)|(?!^)\uFEFF|^\uFEFF?[ \t]/.test(text) || text.slice(text.trimEnd().length).includes('\t');
}

const MARKED = /^\uFEFF?(?:[ \t]*(?:#[^\n]*)?\n)*---/;

class Unplain extends Error {}

class EventReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #builder: TreeBuilder;
  #next = 0;
  #read = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
    this.#builder = new TreeBuilder(text, []);
  }

  read(): YamlDocument {
    const { diagnostics } = this.#builder;
    const [document] = this.#events;
    if (document === undefined) return { root: undefined, diagnostics };
    if (document.type !== EVENT_ID.DOCUMENT || document.directives.length > 0) throw new Unplain();
    if (document.explicitStart && !MARKED.test(this.#text)) throw new Unplain();
    this.#next = 1;
    const { node } = this.#node();
    if (this.#next !== this.#events.length - 1 || node.kind === 'scalar') throw new Unplain();
    return { root: node, diagnostics };
  }

  #node(): Placed {
    const event = this.#take();
    if (event.type === EVENT_ID.ALIAS) {
      const span = { start: event.anchorStart - 1, end: event.anchorEnd };
      this.#read = span.end;
      return this.#builder.alias(this.#text.slice(event.anchorStart, event.anchorEnd), span);
    }
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP || event.tagStart !== -1) throw new Unplain();
    if (event.anchorEnd > this.#read) this.#read = event.anchorEnd;
    const node =
      event.type === EVENT_ID.SCALAR
        ? this.#scalar(event)
        : event.type === EVENT_ID.SEQUENCE
          ? this.#sequence(event.start, event.style === COLLECTION_STYLE.FLOW)
          : this.#mapping(event.start, event.style === COLLECTION_STYLE.FLOW);
    if (event.anchorStart !== -1) this.#builder.anchor(this.#text.slice(event.anchorStart, event.anchorEnd), node);
    return { node, end: node.span.end };
  }

  #take(): Event {
    const event = this.#events[this.#next];
    if (event === undefined) throw new Unplain();
    this.#next += 1;
    return event;
  }

  #ends(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false;
    this.#next += 1;
    return true;
  }

  #sequence(start: number, flow: boolean): Placed['node'] {
    const items: Placed[] = [];
    while (!this.#ends()) items.push(this.#node());
    return this.#builder.sequence(items, start, flow ? this.#closing(']', start) : undefined);
  }

  #mapping(start: number, flow: boolean): Placed['node'] {
    // An anchor of the first key is at the start of the mapping.
    if (this.#text[start] === '&') throw new Unplain();
    const pairs: [Placed, Placed][] = [];
    while (!this.#ends()) {
      const key = this.#node();
      if (key.node.kind !== 'scalar' || key.node.style === 'literal' || key.node.style === 'folded')
        throw new Unplain();
      pairs.push([key, this.#isEmpty() ? this.#emptyValue(flow) : this.#node()]);
    }
    return this.#builder.mapping(pairs, start, flow ? this.#closing('}', start) : undefined);
  }

  #isEmpty(): boolean {
    const event = this.#events[this.#next];
    return (
      event?.type === EVENT_ID.SCALAR && event.valueStart === -1 && event.anchorStart === -1 && event.tagStart === -1
    );
  }

  #emptyValue(flow: boolean): Placed {
    this.#take();
    const [colon = ''] = blanksAndColon(this.#text, this.#read);
    if (flow || !colon.includes(':')) throw new Unplain();
    this.#read += colon.length;
    return { node: this.#builder.empty(this.#read), end: this.#read };
  }

  #closing(bracket: string, start: number): number {
    let at = Math.max(this.#read, start + 1);
    while (this.#text[at] !== bracket) {
      const character = this.#text[at];
      if (character === '#') at = this.#text.indexOf('\n', at);
      else if (character === undefined || !/[\s,]/.test(character)) throw new Unplain();
      if (at === -1) throw new Unplain();
      at += 1;
    }
    this.#read = at + 1;
    return this.#read;
  }

  #scalar(event: ScalarEvent): Placed['node'] {
    if (event.valueStart === -1) throw new Unplain();
    const style = STYLES[event.style];
    const span = this.#spanOf(event, style);
    this.#read = span.end;
    // The library loses empty lines after an escaped line break.
    if (style === 'double' && /\\\r?\n[ \t]*\r?\n/.test(this.#text.slice(span.start, span.end))) throw new Unplain();
    const raw = getScalarValue(this.#text, event);
    return this.#builder.scalar(style === 'plain' ? plainValue(raw) : raw, raw, style, span);
  }

  #spanOf({ valueStart, valueEnd }: ScalarEvent, style: ScalarStyle): Span {
    if (style === 'plain') return { start: valueStart, end: valueEnd };
    if (style === 'single' || style === 'double') return { start: valueStart - 1, end: valueEnd + 1 };
    // The block indicator is on the line before the text, before any comment.
    const line = this.#text.lastIndexOf('\n', valueStart - 2) + 1;
    const header = /[|>]/.exec(this.#text.slice(Math.max(line, this.#read), valueStart));
    if (header === null) throw new Unplain();
    return { start: Math.max(line, this.#read) + header.index, end: valueEnd };
  }
}

const STYLES: Readonly<Record<ScalarEvent['style'], ScalarStyle>> = {
  [SCALAR_STYLE.PLAIN]: 'plain',
  [SCALAR_STYLE.SINGLE_QUOTED]: 'single',
  [SCALAR_STYLE.DOUBLE_QUOTED]: 'double',
  [SCALAR_STYLE.LITERAL_BLOCK]: 'literal',
  [SCALAR_STYLE.FOLDED_BLOCK]: 'folded',
};

function blanksAndColon(text: string, from: number): RegExpExecArray | [] {
  const pattern = /[ \t]*:[ \t]*/y;
  pattern.lastIndex = from;
  return pattern.exec(text) ?? [];
}
