import type { HardenReply } from '#lib/services/hardening/workflow.ts';

type Category = HardenReply['categories'][number];
type Hunk = Category['hunks'][number];
export type MadeFix = Category['fixes'][number];

export interface Change {
  readonly category: string | null;
  readonly fixes: readonly MadeFix[];
  readonly old: Range;
  readonly fresh: Range;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export type Row =
  | { readonly kind: 'change'; readonly change: Change; readonly number: number }
  | { readonly kind: 'gap'; readonly gap: number; readonly hidden: number }
  | { readonly kind: 'line'; readonly same: boolean; readonly old: number | null; readonly fresh: number | null };

const CONTEXT = 3;

export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * Returns the changes of a reply in order. A fix belongs to the nearest change of its category that starts at or before
 * its line, or to the first one after it. A change without a fix takes those of its neighbour.
 */
export function changesOf({ categories, unattributed_hunks: others }: HardenReply): Change[] {
  const named = categories.flatMap(({ category, fixes, hunks }) => {
    const sorted = hunks.toSorted((a, b) => a.old_start - b.old_start || a.new_start - b.new_start);
    const own = sorted.map((): MadeFix[] => []);
    let at = 0;
    for (const fix of fixes.toSorted((a, b) => a.line - b.line)) {
      while ((sorted[at + 1]?.old_start ?? Number.POSITIVE_INFINITY) <= fix.line) at += 1;
      const [passed, next] = [sorted[at], sorted[at + 1]];
      const isNearerToNext = passed && next && next.old_start - fix.line < fix.line - lastLineOf(passed);
      own[isNearerToNext ? at + 1 : at]?.push(fix);
    }
    return sorted.map((hunk, index) => toChange(hunk, category, fixesFor(own, index)));
  });
  return joined(
    [...named, ...others.map((hunk) => toChange(hunk, null, []))].sort(
      (a, b) => a.old.start - b.old.start || a.fresh.start - b.fresh.start,
    ),
  );
}

/** Keeps a removal next to its replacement: lines that other fixes insert between the two come first. */
function joined(changes: readonly Change[]): Change[] {
  const list: Change[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at];
    if (change === undefined) break;
    const to = replacementOf(changes, at);
    const replacement = changes[to];
    if (replacement === undefined) {
      list.push(change);
      continue;
    }
    const { start } = change.old;
    for (const between of changes.slice(at + 1, to)) list.push({ ...between, old: { start, end: start } });
    const fixes = [...new Set([...change.fixes, ...replacement.fixes])];
    list.push({ category: change.category, fixes, old: change.old, fresh: replacement.fresh });
    at = to;
  }
  return list;
}

function replacementOf(changes: readonly Change[], at: number): number {
  const removal = changes[at];
  if (removal === undefined || !isEmpty(removal.fresh)) return -1;
  for (let to = at + 1; to < changes.length; to += 1) {
    const next = changes[to];
    if (next === undefined || !isEmpty(next.old) || next.old.start !== removal.old.end) return -1;
    if (next.category === removal.category) return to;
  }
  return -1;
}

function isEmpty({ start, end }: Range): boolean {
  return start === end;
}

function fixesFor(own: readonly (readonly MadeFix[])[], index: number): readonly MadeFix[] {
  const here = own[index] ?? [];
  if (here.length > 0) return here;
  return own.slice(0, index).findLast((fixes) => fixes.length > 0) ?? own.find((fixes) => fixes.length > 0) ?? [];
}

function lastLineOf({ old_start: start, old_lines: count }: Hunk): number {
  return start + Math.max(0, count - 1);
}

function toChange(hunk: Hunk, category: string | null, fixes: readonly MadeFix[]): Change {
  return {
    category,
    fixes,
    old: rangeOf(hunk.old_start, hunk.old_lines),
    fresh: rangeOf(hunk.new_start, hunk.new_lines),
  };
}

function rangeOf(start: number, count: number): Range {
  const first = count === 0 ? start : start - 1;
  return { start: first, end: first + count };
}

/**
 * Returns the visible rows: changes with three lines of context, and gaps. `opened` is the number of lines shown
 * of each gap; `paired` puts both sides of a change in one row.
 */
export function rowsOf(
  changes: readonly Change[],
  oldLength: number,
  { opened, paired }: { readonly opened: ReadonlyMap<number, number>; readonly paired: boolean },
): Row[] {
  const rows: Row[] = [];
  const same = (old: number, fresh: number, count: number) => {
    for (let line = 1; line <= count; line += 1)
      rows.push({ kind: 'line', same: true, old: old + line, fresh: fresh + line });
  };
  let [old, fresh] = [0, 0];
  for (const [gap, change] of [...changes, null].entries()) {
    const count = (change?.old.start ?? oldLength) - old;
    const head = (gap === 0 ? 0 : CONTEXT) + (opened.get(gap) ?? 0);
    const tail = change === null ? 0 : CONTEXT;
    const hidden = count - head - tail > 1 ? count - head - tail : 0;
    same(old, fresh, hidden === 0 ? count : head);
    if (hidden > 0) {
      rows.push({ kind: 'gap', gap, hidden });
      same(old + head + hidden, fresh + head + hidden, tail);
    }
    if (change === null) break;
    rows.push({ kind: 'change', change, number: gap + 1 });
    rows.push(...(paired ? pairedLines(change) : unifiedLines(change)));
    [old, fresh] = [change.old.end, change.fresh.end];
  }
  return rows;
}

function unifiedLines({ old, fresh }: Change): Row[] {
  return [
    ...numbers(old).map((line): Row => ({ kind: 'line', same: false, old: line, fresh: null })),
    ...numbers(fresh).map((line): Row => ({ kind: 'line', same: false, old: null, fresh: line })),
  ];
}

function pairedLines({ old, fresh }: Change): Row[] {
  const [before, after] = [numbers(old), numbers(fresh)];
  return Array.from(
    { length: Math.max(before.length, after.length) },
    (_, index): Row => ({
      kind: 'line',
      same: false,
      old: before[index] ?? null,
      fresh: after[index] ?? null,
    }),
  );
}

function numbers({ start, end }: Range): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index + 1);
}
