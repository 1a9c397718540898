import { expect, it } from 'vitest';
import { hiddenTextIn } from './hidden-text.ts';

it.each([
  ['a\u202Eb', ['invisible']],
  ['a\u2066b\u2069c', ['invisible', 'invisible']],
  ['# a\u{E0061}\u{E0062}', ['invisible']],
  ['a\u200Bb', ['blank']],
  ['a\uFEFFb', ['blank']],
  ['\uFEFFname: a', []],
  ['👩\u200D💻', []],
  ['❤️\u200D🔥', []],
  ['🇯\u200C🇸\u200C', []],
  ['a\u200Cb', ['blank']],
  ['🏴\u{E0067}\u{E0062}\u{E007F}', []],
  ['✔\uFE0F', []],
  ['plain é 日本語', []],
  [`run: make${' '.repeat(160)}leak`, ['pushed']],
  [`run: make${' '.repeat(160)}`, []],
  [`${' '.repeat(160)}run: make`, []],
  [`run: make${' '.repeat(40)}# comment`, []],
])('finds in %j: %j', (text, expected) => {
  expect(hiddenTextIn(text).map(({ kind }) => kind)).toEqual(expected);
});

it('is fast on long blanks and bounded', () => {
  expect(hiddenTextIn(`a${' '.repeat(900_000)}b`)).toHaveLength(1);
  expect(hiddenTextIn('a\u200Bb'.repeat(100_000)).length).toBeLessThanOrEqual(50);
  expect(hiddenTextIn(`a${' '.repeat(200)}b`.repeat(1_000)).length).toBeLessThanOrEqual(100);
});
