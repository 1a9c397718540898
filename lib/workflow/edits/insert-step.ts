import type { Job, Step } from '../model/model.ts';
import { entryOf } from '../yaml/parse.ts';
import { indentAt, lineBreakOf, type TextEdit } from './edit.ts';
import { type KeyLines, mayInsert } from './insert-key.ts';

/** A step to insert: lines without a dash, of which the further ones are indented relative to the first. */
export interface NewStep {
  /** Written where the step that it is put before has a name. */
  readonly name: string;
  readonly lines: KeyLines;
}

/**
 * Inserts a step before another one of a job, above the comments that lead it, and with an empty line between them where
 * its neighbours have one. Undefined where steps are written in another way than one below the other.
 */
export function insertStepBefore(step: Step, job: Job, { name, lines }: NewStep): TextEdit | undefined {
  const { text } = job.workflow.source;
  const key = [...step.mapping.entries.values()][0]?.key;
  if (key === undefined || step.mapping.flow || !mayInsert(job.workflow)) return undefined;
  const start = text.lastIndexOf('\n', key.span.start - 1) + 1;
  const lead = text.slice(start, key.span.start);
  if (!/^ *- +$/.test(lead)) return undefined;
  const dash = indentAt(text, key.span.start);
  const at = beforeComments(text, start, dash);
  const named = entryOf(step.mapping, 'name') === undefined ? lines : [`name: ${name}`, ...lines];
  const lineBreak = lineBreakOf(text);
  const indent = ' '.repeat(lead.length);
  const body = named.map((line, index) => `${index === 0 ? lead : indent}${line}${lineBreak}`).join('');
  return { span: { start: at, end: at }, text: isSpaced(step, at, text) ? `${body}${lineBreak}` : body };
}

/** The start of the first of the comment lines that stand right above a line, with its indentation. */
function beforeComments(text: string, lineStart: number, indent: string): number {
  let at = lineStart;
  while (at > 0) {
    const previous = text.lastIndexOf('\n', at - 2) + 1;
    if (previous >= at || !text.startsWith(`${indent}#`, previous)) break;
    at = previous;
  }
  return at;
}

/** Whether an empty line stands above a step, or for the first one above the next. */
function isSpaced(step: Step, at: number, text: string): boolean {
  const next = step.parent.steps[1];
  if (step.index > 0) return /\n[ \t\r]*\n$/.test(text.slice(0, at));
  return next !== undefined && /\n[ \t\r]*\n(?:[ \t]*#[^\n]*\n)*[ -]*$/.test(text.slice(0, next.mapping.span.start));
}
