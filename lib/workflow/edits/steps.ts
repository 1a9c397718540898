import type { Job, Step } from '../model/model.ts';
import { entryOf, type YamlMapping, type YamlNode, type YamlSequence } from '../yaml/parse.ts';
import type { TextEdit } from './edit.ts';
import { insertKeys, mayInsert } from './keys.ts';
import { indentAt, lineBreakOf, lineStartAt } from './lines.ts';
import { replaceScalar } from './scalars.ts';

/** Lines of a step without the dash; further lines are indented relative to the first. */
export interface NewStep {
  readonly name?: string;
  readonly lines: readonly string[];
}

/**
 * Inserts a step above another one and its leading comments, spaced like its neighbours. Undefined for steps in flow
 * style.
 */
export function insertStepBefore(step: Step, job: Job, { name, lines }: NewStep): TextEdit | undefined {
  const place = placeAbove(step.mapping);
  if (place === undefined || !mayInsert(job.workflow)) return undefined;
  const { text, lead, indent } = place;
  const at = beforeComments(text, place.at, indent);
  const named = name === undefined || entryOf(step.mapping, 'name') === undefined ? lines : [`name: ${name}`, ...lines];
  const body = itemOf(named, lead, text);
  return { span: { start: at, end: at }, text: isSpaced(step, at, text) ? `${body}${lineBreakOf(text)}` : body };
}

export function insertFirstItem(sequence: YamlSequence, lines: readonly string[]): TextEdit | undefined {
  const [first] = sequence.items;
  const place = sequence.flow || sequence.shared || first?.shared === true ? undefined : placeAbove(first);
  return place && { span: { start: place.at, end: place.at }, text: itemOf(lines, place.lead, place.text) };
}

/**
 * Sets an input: replaces its value, or inserts it first in `with`, which is created after `uses`. `unit` is the
 * white space of one indentation level.
 */
export function setInput(step: Step, name: string, value: string, unit?: string): TextEdit | undefined {
  const present = step.with?.get(name)?.value;
  if (present !== undefined) return replaceScalar(present, value);
  const inputs = entryOf(step.mapping, 'with')?.value;
  if (inputs?.kind === 'mapping') return insertKeys(inputs, { [name]: value });
  return inputs === undefined
    ? insertKeys(step.mapping, { with: { [name]: value } }, { after: 'uses', ...(unit === undefined ? {} : { unit }) })
    : undefined;
}

interface Place {
  readonly text: string;
  readonly at: number;
  readonly lead: string;
  readonly indent: string;
}

function placeAbove(item: YamlNode | undefined): Place | undefined {
  const key = item?.kind === 'mapping' && !item.flow ? firstKey(item) : undefined;
  if (key === undefined) return undefined;
  const { origin: text, span } = key;
  const at = lineStartAt(text, span.start);
  const lead = text.slice(at, span.start);
  return /^ *- +$/.test(lead) ? { text, at, lead, indent: indentAt(text, span.start) } : undefined;
}

function firstKey({ entries }: YamlMapping): NonNullable<ReturnType<typeof entryOf>>['key'] | undefined {
  return [...entries.values()][0]?.key;
}

function itemOf(lines: readonly string[], lead: string, text: string): string {
  const indent = ' '.repeat(lead.length);
  return lines.map((line, index) => `${index === 0 ? lead : indent}${line}${lineBreakOf(text)}`).join('');
}

function beforeComments(text: string, lineStart: number, indent: string): number {
  let at = lineStart;
  while (at > 0) {
    const previous = lineStartAt(text, at - 1);
    if (previous >= at || !text.startsWith(`${indent}#`, previous)) break;
    at = previous;
  }
  return at;
}

function isSpaced(step: Step, at: number, text: string): boolean {
  const next = step.parent.steps[1];
  if (step.index > 0) return /\n[ \t\r]*\n$/.test(text.slice(0, at));
  return next !== undefined && /\n[ \t\r]*\n(?:[ \t]*#[^\n]*\n)*[ -]*$/.test(text.slice(0, next.mapping.span.start));
}
