import { describe, expect, it } from 'vitest';
import { expressionsIn } from '../expressions/expression.ts';
import type { Text } from '../model/model.ts';
import { textOf } from '../parse/fields.ts';
import { parseYaml } from '../yaml/parse.ts';
import { applyEdits, type TextEdit } from './edit.ts';
import {
  append,
  replaceExpression,
  replaceMatch,
  replaceRange,
  replaceScalar,
  replaceVerbatim,
  setComment,
  stripFinalBreak,
} from './scalars.ts';

function valueOfA(text: string): Text {
  return textOf(parseYaml(text).root, 'a') as Text;
}

function edited(text: string, edit: (value: Text) => TextEdit | undefined): string | undefined {
  const made = edit(valueOfA(text));
  return made && applyEdits(text, [made]);
}

describe('replacing', () => {
  it('replaces a scalar with its quotes, and no block', () => {
    expect(edited('a: "x" # y\n', (value) => replaceScalar(value, '1'))).toBe('a: 1 # y\n');
    expect(edited('a: |\n  x\n', (value) => replaceScalar(value, '1'))).toBeUndefined();
  });

  it('replaces a range through quotes, escapes and folding', () => {
    expect(edited("a: 'it''s x'\n", (value) => replaceRange(value, 5, 6, 'y'))).toBe("a: 'it''s y'\n");
    expect(edited('a: >\n  one\n  two\n', (value) => replaceRange(value, 4, 7, '2'))).toBe('a: >\n  one\n  2\n');
  });

  it('replaces verbatim only if the file shows the text unescaped', () => {
    expect(edited('a: "x/y"\n', (value) => replaceVerbatim(value, 2, 3, 'z'))).toBe('a: "x/z"\n');
    expect(edited("a: 'it''s'\n", (value) => replaceVerbatim(value, 0, 2, 'he'))).toBeUndefined();
    expect(edited('a: |\n  x\n', (value) => replaceVerbatim(value, 0, 1, 'z'))).toBeUndefined();
  });

  it('refuses a scalar that an alias repeats', () => {
    const text = 'a: &x y\nb: *x\n';
    expect(edited(text, (value) => replaceScalar(value, '1'))).toBeUndefined();
    expect(edited(text, (value) => replaceRange(value, 0, 1, '1'))).toBeUndefined();
    expect(edited(text, (value) => replaceMatch(value, value.span, /y/, '1'))).toBeUndefined();
    expect(edited(text, (value) => setComment(value, '1'))).toBeUndefined();
  });

  it('replaces the inside of an expression', () => {
    const replace = (value: Text): TextEdit | undefined => {
      const [expression] = expressionsIn(value);
      return expression && replaceExpression(value, expression, 'x');
    };
    expect(edited('a: b ${{a.b}} c\n', replace)).toBe('a: b ${{ x }} c\n');
    expect(edited("a: '${{ a == ''b'' }}'\n", replace)).toBeUndefined();
  });

  it('replaces the only match within a span', () => {
    expect(edited('a: |\n  x y\n', (value) => replaceMatch(value, value.span, /y/, 'z'))).toBe('a: |\n  x z\n');
    expect(edited('a: y y\n', (value) => replaceMatch(value, value.span, /y/, 'z'))).toBeUndefined();
    expect(edited('a: y y\n', (value) => replaceMatch(value, value.span, /x/, 'z'))).toBeUndefined();
  });
});

it('adds text behind a span', () => {
  expect(edited('a: x\n', ({ span }) => append(span, '@1'))).toBe('a: x@1\n');
});

it('adds a comment, or replaces the outdated part of one', () => {
  expect(edited('a: x\r\n', (value) => setComment(value, 'v1'))).toBe('a: x # v1\r\n');
  expect(edited('a: x # pinned\n', (value) => setComment(value, 'v1'))).toBeUndefined();
  expect(edited('a: x # v1 (pinned)\n', (value) => setComment(value, 'v2', 'v1'))).toBe('a: x # v2 (pinned)\n');
  expect(edited('a: x # pinned\n', (value) => setComment(value, 'v2', 'v1'))).toBeUndefined();
});

it('makes a block drop its last line break', () => {
  expect(edited('a: |\n  x\n', stripFinalBreak)).toBe('a: |-\n  x\n');
  expect(edited('a: >+\n  x\n', stripFinalBreak)).toBe('a: >-\n  x\n');
  expect(edited('a: |-\n  x\n', stripFinalBreak)).toBeUndefined();
});
