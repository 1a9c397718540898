import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, patchLines } from './line-diff.ts';

const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

it('numbers each line on the sides that it is on', () => {
  expect(diffLines(text('a', 'b', 'c'), text('a', 'x', 'c'))).toEqual([
    [
      { kind: 'same', before: 1, after: 1 },
      { kind: 'removed', before: 2, after: null },
      { kind: 'added', before: null, after: 2 },
      { kind: 'same', before: 3, after: 3 },
    ],
  ]);
});

it('shows three lines of context around a change', () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const after = before.with(0, 'first').with(19, 'last');
  const pieces = diffLines(text(...before), text(...after));
  expect(pieces.map((piece) => piece.map(({ before }) => before))).toEqual([
    [1, null, 2, 3, 4],
    [17, 18, 19, 20, null],
  ]);
});

it('is empty for equal texts', () => {
  expect(diffLines(text('a'), text('a'))).toEqual([]);
});

describe('for any two texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', ' - d', '\\ e', '+f'), { maxLength: 12 });

  it('reconstructs both sides', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shown = diffLines(text(...before), text(...after)).flat();
        const removed = new Set(shown.filter(({ kind }) => kind === 'removed').map(({ before }) => before));
        const added = shown.filter(({ kind }) => kind === 'added').map(({ after }) => after ?? 0);
        const source = text(...before).split('\n');
        const target = text(...after).split('\n');
        const rebuilt = source.filter((_, index) => !removed.has(index + 1));
        for (const line of added) rebuilt.splice(line - 1, 0, target[line - 1] ?? '');
        expect(rebuilt).toEqual(target);
      }),
    );
  });
});

it('reads a unified diff whose lines look like headers', () => {
  const diff =
    '--- a/<b>x\n+++ b/<b>x\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n\\ No newline at end of file\n@@ -9 +9 @@\n-d\n+e\n';
  expect(patchLines(diff)).toEqual([
    [
      { kind: 'same', before: 1, after: 1, text: 'a' },
      { kind: 'removed', before: 2, after: null, text: '-- b' },
      { kind: 'added', before: null, after: 2, text: '++ c' },
    ],
    [
      { kind: 'removed', before: 9, after: null, text: 'd' },
      { kind: 'added', before: null, after: 9, text: 'e' },
    ],
  ]);
  expect(patchLines('')).toEqual([]);
});
