import { createHash } from 'node:crypto';
import { compareEdits, type TextEdit } from '#lib/workflow/edits/edit.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Lockfile } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { isLocked } from '#lib/workflow/parse/lockfile.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import {
  commentsOf,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
  type YamlSequence,
} from '#lib/workflow/yaml/parse.ts';

export type ParsedFile = Repository['files'][number];

export interface Damage {
  readonly refusal: string;
  readonly places: number;
}

/**
 * Returns why edits are unacceptable: a new problem, a changed node outside the edits, an unchanged one inside, or a
 * lost comment.
 */
export function findDamage(before: ParsedFile, after: ParsedFile, edits: readonly TextEdit[]): Damage | undefined {
  const fresh = newProblems(before, after);
  const [first] = fresh;
  if (first !== undefined) {
    const kind = first.severity === 'error' ? 'an error' : 'a problem';
    return { refusal: `The file would get ${kind}: ${first.message}`, places: fresh.length };
  }
  if (before.definition === undefined || after.definition === undefined) {
    return { refusal: 'The file would become unreadable.', places: 1 };
  }
  const ranges = rangesOf(edits);
  if (!new Comparison(ranges).same(before.definition.root, after.definition.root)) {
    return { refusal: 'It would change more of the file than intended.', places: 1 };
  }
  return keepsComments(before.source.text, after.source.text, ranges)
    ? undefined
    : { refusal: 'It would lose a comment.', places: 1 };
}

function newProblems(before: ParsedFile, after: ParsedFile): ParsedFile['diagnostics'] {
  const problems = new Map<string, number>();
  for (const { message } of before.diagnostics) problems.set(message, (problems.get(message) ?? 0) + 1);
  return after.diagnostics.filter(({ message }) => {
    const left = problems.get(message) ?? 0;
    problems.set(message, left - 1);
    return left <= 0;
  });
}

/** Returns why runs would no longer start: a step uses an action missing from the workflow's lockfile entry. */
export function findUnlocked(
  before: ParsedFile,
  after: ParsedFile,
  lockfile: Lockfile | undefined,
): string | undefined {
  if (lockfile?.workflows.has(after.source.path) !== true) return undefined;
  const known = unlockedActions(before, lockfile);
  const fresh = [...unlockedActions(after, lockfile)].filter((pin) => !known.has(pin));
  if (fresh.length === 0) return undefined;
  return `actions.lock lists this workflow without ${fresh.join(', ')}: its runs would not start. Change the workflow by hand and regenerate the lockfile with gh actions-lock.`;
}

function unlockedActions({ definition }: ParsedFile, lockfile: Lockfile): Set<string> {
  const pins = new Set<string>();
  if (definition?.kind !== 'workflow') return pins;
  for (const { uses, at } of usesOf(definition)) {
    const { reference } = uses;
    if (at.kind !== 'step' || reference?.kind !== 'repository') continue;
    const pin = `${reference.slug}@${reference.ref}`;
    if (!isLocked(lockfile, definition, pin)) pins.add(pin);
  }
  return pins;
}

interface Ranges {
  readonly before: readonly Span[];
  readonly after: readonly Span[];
}

function rangesOf(edits: readonly TextEdit[]): Ranges & { readonly comments: readonly boolean[] } {
  const before: Span[] = [];
  const after: Span[] = [];
  const comments: boolean[] = [];
  let shift = 0;
  for (const { span, text } of [...edits].sort(compareEdits)) {
    before.push(span);
    const start = span.start + shift;
    after.push({ start, end: start + text.length });
    shift += text.length - (span.end - span.start);
    comments.push(span.start === span.end && /^[ \t]+#[^\r\n]*$/.test(text));
  }
  return { before, after, comments };
}

const digests = new WeakMap<YamlNode, string>();

const MAX_WRITTEN = 200;

class Comparison {
  readonly #before: readonly Span[];
  readonly #after: readonly Span[];

  constructor({ before, after, comments }: ReturnType<typeof rangesOf>) {
    this.#before = before.filter((_, index) => comments[index] === false);
    this.#after = after.filter((_, index) => comments[index] === false);
  }

  same(before: YamlNode, after: YamlNode): boolean {
    if (this.#digest(before) === this.#digest(after)) return true;
    if (before.kind === 'mapping' && after.kind === 'mapping') return this.#mappings(before, after);
    if (before.kind === 'sequence' && after.kind === 'sequence') return this.#sequences(before, after);
    return touches(this.#before, before.span) && touches(this.#after, after.span);
  }

  #mappings(before: YamlMapping, after: YamlMapping): boolean {
    const gone = [...before.entries].filter(([key]) => !after.entries.has(key));
    const fresh = [...after.entries].filter(([key]) => !before.entries.has(key));
    const edited = (entries: readonly (readonly [string, YamlEntry])[], ranges: readonly Span[]) =>
      entries.every(([, { span }]) => touches(ranges, span));
    if (!edited(gone, this.#before) || !edited(fresh, this.#after)) return false;
    for (const [key, { value }] of before.entries) {
      const other = after.entries.get(key);
      if (other !== undefined && !this.same(value, other.value)) return false;
    }
    return true;
  }

  #sequences(before: YamlSequence, after: YamlSequence): boolean {
    let [old, fresh] = [before.items, after.items];
    if (old.length === fresh.length) return old.every((item, index) => this.same(item, fresh[index] as YamlNode));
    const equal = (a: YamlNode | undefined, b: YamlNode | undefined): boolean =>
      a !== undefined && b !== undefined && this.#digest(a) === this.#digest(b);
    while (equal(old[0], fresh[0])) [old, fresh] = [old.slice(1), fresh.slice(1)];
    while (equal(old.at(-1), fresh.at(-1))) [old, fresh] = [old.slice(0, -1), fresh.slice(0, -1)];
    return (
      old.every(({ span }) => touches(this.#before, span)) && fresh.every(({ span }) => touches(this.#after, span))
    );
  }

  #digest(node: YamlNode): string {
    let digest = digests.get(node);
    if (digest === undefined) {
      const written = this.#write(node);
      digest = written.length > MAX_WRITTEN ? createHash('sha256').update(written).digest('base64') : written;
      digests.set(node, digest);
    }
    return digest;
  }

  #write(node: YamlNode): string {
    if (node.kind === 'scalar') return JSON.stringify([node.value, node.text]);
    if (node.kind === 'sequence') return `[${node.items.map((item) => this.#digest(item)).join()}]`;
    return `{${[...node.entries].map(([key, { value }]) => `${JSON.stringify(key)}:${this.#digest(value)}`).join()}}`;
  }
}

function touches(ranges: readonly Span[], { start, end }: Span): boolean {
  const range = ranges[firstEndingAt(ranges, start)];
  return range !== undefined && range.start <= end;
}

function firstEndingAt(ranges: readonly Span[], offset: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Commented {
  readonly text: string;
  readonly comments: ReturnType<typeof commentsOf>;
}

let latest: readonly Commented[] = [];

function commentsIn(text: string): ReturnType<typeof commentsOf> {
  const known = latest.find((each) => each.text === text) ?? { text, comments: commentsOf(text) };
  latest = [known, ...latest.filter((each) => each !== known).slice(0, 1)];
  return known.comments;
}

function keepsComments(before: string, after: string, ranges: Ranges): boolean {
  const left = new Map<string, number>();
  for (const { text } of commentsIn(after)) left.set(text, (left.get(text) ?? 0) + 1);
  for (const { text, span } of commentsIn(before)) {
    const range = ranges.before[firstEndingAt(ranges.before, span.start + 1)];
    if (range !== undefined && range.start < span.end) continue;
    const count = left.get(text) ?? 0;
    if (count === 0) return false;
    left.set(text, count - 1);
  }
  return true;
}
