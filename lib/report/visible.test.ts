import { describe, expect, it } from 'vitest';
import { nameOf, oneLine, splitVisible, visible } from './visible.ts';

const HOSTILE = 'a\tb \u202Egnp.exe\u202C \u200B\u{E0041}\u0007 end';

describe('hidden and reordering characters', () => {
  it('are spelled out', () => {
    expect(visible(HOSTILE)).toBe('a  b <U+202E>gnp.exe<U+202C> <U+200B><U+E0041><U+0007> end');
  });

  it('distinguish a spelled-out character from the same text in the input', () => {
    expect(splitVisible('<U+202E>\u202Ex')).toEqual([
      { text: '<U+202E>', hidden: false },
      { text: '<U+202E>', hidden: true },
      { text: 'x', hidden: false },
    ]);
    expect(splitVisible('plain')).toEqual([{ text: 'plain', hidden: false }]);
    expect(splitVisible('')).toEqual([]);
  });

  it('read the same in pieces and as a whole', () => {
    expect(
      splitVisible(HOSTILE)
        .map(({ text }) => text)
        .join(''),
    ).toBe(visible(HOSTILE));
  });

  it.each([
    ['controls', '\u0000\u0008\u000B\u000D\u001B\u007F\u0085\u009B\u009D'],
    ['line and paragraph separators', '\u2028\u2029'],
    ['overrides and isolates', '\u061C\u200E\u200F\u202A\u202E\u2066\u2069\u206A\u206F'],
    [
      'zero-width characters and fillers',
      '\u00AD\u034F\u115F\u1160\u17B4\u17B5\u200B\u200D\u2060\u2064\u3164\uFEFF\uFFA0',
    ],
    ['variation selectors', '\u180B\u180F\uFE00\uFE0E\uFE0F\u{E0100}\u{E01EF}'],
    ['tags', '\u{E0000}\u{E0001}\u{E0020}\u{E007F}\u{E0080}\u{E0FFF}'],
    ['invisible notation', '\u{1BCA0}\u{1BCA3}\u{1D173}\u{1D17A}\uFFF0\uFFF9\uFFFB'],
    ['private use', '\uE000\uF8FF\u{F0000}\u{10FFFD}'],
    ['unassigned', '\u0378\uFFFF\u{1FFFF}\u{E1000}'],
  ])('include %s', (_, characters) => {
    for (const character of characters) expect(visible(`a${character}b`)).toBe(`a${nameOf(character)}b`);
  });

  it('include halves of surrogate pairs', () => {
    expect(visible('a\uD83Db\uDE00')).toBe('a<U+D83D>b<U+DE00>');
  });

  it('leave letters, marks, symbols and coloured pictographs of all scripts as they are', () => {
    const text = 'naïve Ĝis “é” e\u0301 漢字 かな 한글 हिन्दी עברית العربية ₿ → █ 🚀 👍🏽 ⚠\uFE0F ❤\uFE0F\nnext';
    expect(visible(text)).toBe(text);
  });

  it('include the selector of a pictograph after anything else', () => {
    expect(visible('v4\uFE0F ⚠\uFE0F\uFE0F')).toBe('v4<U+FE0F> ⚠\uFE0F<U+FE0F>');
  });

  it('include the line feed in what stands on one line', () => {
    expect(oneLine('a\r\nb\tc')).toBe('a<U+000D><U+000A>b  c');
  });
});
