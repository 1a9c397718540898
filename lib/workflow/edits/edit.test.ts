import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyEdits } from './edit.ts';
import { columnAt, indentAt, lineBreakOf, restOfLine } from './lines.ts';

it('applies edits in any order against the original offsets', () => {
  const edits = [
    { span: { start: 4, end: 7 }, text: 'TWO' },
    { span: { start: 0, end: 0 }, text: '> ' },
    { span: { start: 8, end: 13 }, text: '' },
  ];
  expect(applyEdits('one two three', edits)).toBe('> one TWO ');
  expect(applyEdits('one two three', edits.toReversed())).toBe('> one TWO ');
});

it('refuses edits that overlap or leave the text', () => {
  const overlap = [
    { span: { start: 0, end: 3 }, text: 'a' },
    { span: { start: 2, end: 4 }, text: 'b' },
  ];
  expect(() => applyEdits('12345', overlap)).toThrow(RangeError);
  expect(() => applyEdits('1', [{ span: { start: 0, end: 9 }, text: '' }])).toThrow(RangeError);
});

it('leaves everything outside the edits as it was', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.string(), (text, a, b, replacement) => {
      const [start, end] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [number, number];
      const edited = applyEdits(text, [{ span: { start, end }, text: replacement }]);
      expect(edited.startsWith(text.slice(0, start))).toBe(true);
      expect(edited.endsWith(text.slice(end))).toBe(true);
      expect(edited.length).toBe(text.length - (end - start) + replacement.length);
    }),
  );
});

it('detects a text’s line break and a line’s indentation', () => {
  expect([lineBreakOf('a\r\nb'), lineBreakOf('a\nb'), lineBreakOf('')]).toEqual(['\r\n', '\n', '\n']);
  expect(indentAt('a:\n    b: c\n', 8)).toBe('    ');
  expect(columnAt('a:\n  - b: c\n', 7)).toBe(4);
  expect(restOfLine('a: b # c\r\nd', 4)).toBe(' # c');
});
