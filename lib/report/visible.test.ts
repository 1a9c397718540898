import { describe, expect, it } from 'vitest';
import { splitVisible, visible } from './visible.ts';

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
});
