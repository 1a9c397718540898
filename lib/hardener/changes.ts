import { diffArrays, FILE_HEADERS_ONLY, formatPatch } from 'diff';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { applyEdits, compareEdits, type TextEdit } from '#lib/workflow/edits/edit.ts';

export interface Hunk {
  /** Undefined if no fix accounts for it, which is an engine bug. */
  readonly category: Category | undefined;
  readonly ruleIds: readonly string[];
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

interface Authors {
  readonly category: Category;
  readonly ruleIds: ReadonlySet<string>;
}

interface Line {
  readonly text: string;
  readonly old: number | undefined;
  readonly by: Authors | undefined;
}

const CONTEXT = 3;

export class Changes {
  readonly #original: readonly string[];
  #lines: readonly Line[];
  readonly #removedBy = new Map<number, Authors>();

  constructor(text: string) {
    this.#original = linesOf(text);
    this.#lines = this.#original.map((line, old) => ({ text: line, old, by: undefined }));
  }

  get text(): string {
    return this.#lines.map(({ text }) => text).join('');
  }

  /** Applies one rule's edits. A line changed by two categories stays with the first. */
  advance(edits: readonly TextEdit[], category: Category, ruleId: string): void {
    const author = { category, ruleIds: new Set([ruleId]) };
    const starts = this.#starts();
    const lines: Line[] = [];
    let at = 0;
    for (const { first, last, edits: own } of touchedLines(edits, starts)) {
      lines.push(...this.#lines.slice(at, first));
      const passed = this.#lines.slice(first, last + 1);
      at = last + 1;
      const offset = starts[first] ?? 0;
      const before = passed.map(({ text }) => text).join('');
      const shifted = own.map(({ span, text }) => ({
        span: { start: span.start - offset, end: span.end - offset },
        text,
      }));
      lines.push(...this.#compare(passed, linesOf(applyEdits(before, shifted)), author));
    }
    this.#lines = [...lines, ...this.#lines.slice(at)];
  }

  #starts(): number[] {
    const starts = [0];
    for (const { text } of this.#lines) starts.push((starts.at(-1) ?? 0) + text.length);
    return starts;
  }

  #compare(before: readonly Line[], after: readonly string[], author: Authors): Line[] {
    const lines: Line[] = [];
    let at = 0;
    let by = author;
    const texts = before.map(({ text }) => text);
    for (const { added, removed, value, count } of diffArrays(texts, [...after])) {
      if (added) {
        for (const text of value) lines.push({ text, old: undefined, by });
        continue;
      }
      const passed = before.slice(at, at + count);
      at += count;
      by = author;
      if (removed) {
        by = together([...passed.flatMap((line) => line.by ?? []), author]);
        for (const { old } of passed) if (old !== undefined) this.#removedBy.set(old, by);
      } else lines.push(...passed);
    }
    return lines;
  }

  originalLine(line: number): number {
    for (let index = Math.min(line, this.#lines.length) - 1; index >= 0; index -= 1) {
      const old = this.#lines[index]?.old;
      if (old !== undefined) return old + 1;
    }
    return 1;
  }

  hunks(): Hunk[] {
    return this.#gaps().flatMap((gap) => this.#split(gap));
  }

  unified(path: string, withRules = false): string {
    const groups: Gap[][] = [];
    for (const gap of this.#gaps()) {
      const last = groups.at(-1)?.at(-1);
      if (last !== undefined && gap.oldStart - last.oldEnd <= 2 * CONTEXT) groups.at(-1)?.push(gap);
      else groups.push([gap]);
    }
    if (groups.length === 0) return '';
    const names = { oldFileName: `a/${path}`, newFileName: `b/${path}`, oldHeader: undefined, newHeader: undefined };
    const header = formatPatch({ ...names, hunks: [] }, FILE_HEADERS_ONLY);
    return `${header}${groups.map((group) => this.#format(group, withRules)).join('')}`;
  }

  #format(group: readonly Gap[], withRules: boolean): string {
    const [first] = group as [Gap];
    const last = group.at(-1) as Gap;
    const oldStart = Math.max(0, first.oldStart - CONTEXT);
    const oldEnd = Math.min(this.#original.length, last.oldEnd + CONTEXT);
    const newStart = first.newStart - (first.oldStart - oldStart);
    const newEnd = last.newEnd + (oldEnd - last.oldEnd);
    const body: string[] = [];
    let at = oldStart;
    const same = (end: number): void => {
      for (; at < end; at += 1) body.push(` ${this.#original[at]}`);
    };
    for (const gap of group) {
      same(gap.oldStart);
      for (; at < gap.oldEnd; at += 1) body.push(`-${this.#original[at]}`);
      for (const { text } of this.#lines.slice(gap.newStart, gap.newEnd)) body.push(`+${text}`);
    }
    same(oldEnd);
    const rules = new Set(withRules ? group.flatMap((gap) => this.#split(gap).flatMap(({ ruleIds }) => ruleIds)) : []);
    const named = rules.size === 0 ? '' : ` ${[...rules].sort().join(', ')}`;
    const header = `@@ -${rangeOf(oldStart, oldEnd)} +${rangeOf(newStart, newEnd)} @@${named}\n`;
    return (
      header + body.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`)).join('')
    );
  }

  #gaps(): Gap[] {
    const gaps: Gap[] = [];
    let old = 0;
    let fresh = 0;
    const close = (oldEnd: number, newEnd: number): void => {
      while (old < oldEnd && fresh < newEnd && this.#original[old] === this.#lines[fresh]?.text) {
        old += 1;
        fresh += 1;
      }
      let [oldLast, newLast] = [oldEnd, newEnd];
      while (oldLast > old && newLast > fresh && this.#original[oldLast - 1] === this.#lines[newLast - 1]?.text) {
        oldLast -= 1;
        newLast -= 1;
      }
      if (old < oldLast || fresh < newLast) {
        gaps.push({ oldStart: old, oldEnd: oldLast, newStart: fresh, newEnd: newLast });
      }
    };
    for (const [index, line] of this.#lines.entries()) {
      if (line.old === undefined) continue;
      close(line.old, index);
      old = line.old + 1;
      fresh = index + 1;
    }
    close(this.#original.length, this.#lines.length);
    return gaps;
  }

  #split({ oldStart, oldEnd, newStart, newEnd }: Gap): Hunk[] {
    const hunks: Hunk[] = [];
    let [old, fresh] = [oldStart, newStart];
    const removed = (): Authors | undefined => this.#removedBy.get(old);
    const added = (): Authors | undefined => this.#lines[fresh]?.by;
    while (old < oldEnd || fresh < newEnd) {
      const category = (old < oldEnd ? removed() : added())?.category;
      const [oldFrom, newFrom] = [old, fresh];
      const ruleIds = new Set<string>();
      for (; old < oldEnd && removed()?.category === category; old += 1) {
        for (const id of removed()?.ruleIds ?? []) ruleIds.add(id);
      }
      for (; fresh < newEnd && added()?.category === category; fresh += 1) {
        for (const id of added()?.ruleIds ?? []) ruleIds.add(id);
      }
      hunks.push({
        category,
        ruleIds: [...ruleIds].sort(),
        ...placeOf(oldFrom, old, 'old'),
        ...placeOf(newFrom, fresh, 'new'),
      });
    }
    return hunks;
  }
}

function together(authors: readonly Authors[]): Authors {
  const [first] = authors as [Authors];
  return { category: first.category, ruleIds: new Set(authors.flatMap(({ ruleIds }) => [...ruleIds])) };
}

function touchedLines(
  edits: readonly TextEdit[],
  starts: readonly number[],
): { readonly first: number; readonly last: number; readonly edits: TextEdit[] }[] {
  const runs: { first: number; last: number; edits: TextEdit[] }[] = [];
  const final = Math.max(0, starts.length - 2);
  let line = 0;
  for (const edit of [...edits].sort(compareEdits)) {
    while (line < final && (starts[line + 1] ?? 0) <= edit.span.start) line += 1;
    let last = line;
    while (last < final && (starts[last + 1] ?? 0) <= edit.span.end) last += 1;
    const run = runs.at(-1);
    if (run !== undefined && run.last >= line) {
      run.last = Math.max(run.last, last);
      run.edits.push(edit);
    } else runs.push({ first: line, last, edits: [edit] });
  }
  return runs;
}

interface Gap {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

function placeOf<Side extends 'old' | 'new'>(
  start: number,
  end: number,
  side: Side,
): Readonly<Record<`${Side}Start` | `${Side}Lines`, number>> {
  const place = { [`${side}Start`]: end > start ? start + 1 : start, [`${side}Lines`]: end - start };
  return place as Readonly<Record<`${Side}Start` | `${Side}Lines`, number>>;
}

function rangeOf(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}
