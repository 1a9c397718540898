import {
  EVENT_CONTEXTS,
  EVENT_PREFIXES,
  type EventText,
  type EventWriter,
} from '#lib/data/generated/event-contexts.generated.ts';
import { PULL_REQUEST_EVENTS } from '../reachability/events.ts';

/**
 * Freedom of the writer: `free` is any text, `ref` a branch or tag name (which can hold shell syntax), `structured`
 * less.
 */
export type TextKind = 'free' | 'ref' | 'structured';

export interface PayloadField {
  readonly text: TextKind;
  readonly writer: EventWriter;
}

const REF_LIKE = /(?:^|\.)(?:ref|head_ref|head_branch|label|base_ref|default_branch|master_branch)$/;

function textKind(path: string, text: EventText): TextKind {
  if (text === 'free') return 'free';
  return REF_LIKE.test(path) ? 'ref' : 'structured';
}

export function textOfAnswer(fields: string): TextKind | undefined {
  if (/(?:^|\.)(?:title|body(?:html|text)?|message(?:body|headline)?|filename|patch)$/i.test(fields)) return 'free';
  return /(?:^|\.)(?:head\.(?:ref|label)|headrefname)$/i.test(fields) ? 'ref' : undefined;
}

const MAX_REMEMBERED = 10_000;
const contextsByPath = new Map<string, PayloadField | undefined>();

/** Undefined for values of a fixed shape. */
export function payloadFieldAt(path: readonly string[], event: string): PayloadField | undefined {
  const key = `${event} ${path.join('.')}`;
  let held = contextsByPath.get(key);
  if (held === undefined && !contextsByPath.has(key)) {
    held = findContext(path, event);
    if (contextsByPath.size >= MAX_REMEMBERED) contextsByPath.clear();
    contextsByPath.set(key, held);
  }
  return held;
}

function findContext(path: readonly string[], event: string): PayloadField | undefined {
  const name = path.slice(1).join('.');
  if (name === 'head_ref') {
    return PULL_REQUEST_EVENTS.has(event) ? { text: 'ref', writer: 'outsider' } : undefined;
  }
  if (name === 'ref_name' || name === 'ref' || name === 'base_ref') {
    return event === 'push' || event === 'create' || event === 'workflow_dispatch'
      ? { text: 'ref', writer: 'member' }
      : undefined;
  }
  if (name === '') return wholePayload(event);
  if (path[1] !== 'event') return undefined;
  const rest = path.slice(2);
  if (rest.length === 0) return wholePayload(event);
  for (const context of EVENT_CONTEXTS[event] ?? []) {
    if (matchesPath(context.path, rest)) return { text: textKind(context.path, context.text), writer: context.writer };
  }
  const wanted = rest.join('.');
  const prefix = EVENT_PREFIXES[event]?.find((candidate) => candidate.path === wanted);
  return prefix === undefined ? undefined : { text: textKind(prefix.path, prefix.text), writer: prefix.writer };
}

function wholePayload(event: string): PayloadField | undefined {
  const whole = EVENT_PREFIXES[event]?.find((candidate) => candidate.path === '');
  return whole === undefined ? undefined : { text: textKind('', whole.text), writer: whole.writer };
}

function matchesPath(pattern: string, path: readonly string[]): boolean {
  const segments = pattern.split('.');
  for (const [index, segment] of segments.entries()) {
    if (segment === '**') return true;
    const actual = path[index];
    if (actual === undefined || (segment !== '*' && actual !== '*' && segment !== actual)) return false;
  }
  return segments.length === path.length;
}
