import { describe, expect, it } from 'vitest';
import { splitVisible, visible } from './visible.ts';

const HOSTILE = 'a\tb \u202Egnp.exe\u202C \u200B\u{E0041}\u0007 end';

describe('what hides or reorders text', () => {
  it('is spelled out', () => {
    expect(visible(HOSTILE)).toBe('a  b <U+202E>gnp.exe<U+202C> <U+200B><U+E0041><U+0007> end');
  });

  it('is told apart from what only looks like it', () => {
    expect(splitVisible('<U+202E>\u202Ex')).toEqual([
      { text: '<U+202E>', hidden: false },
      { text: '<U+202E>', hidden: true },
      { text: 'x', hidden: false },
    ]);
    expect(splitVisible('plain')).toEqual([{ text: 'plain', hidden: false }]);
    expect(splitVisible('')).toEqual([]);
  });

  it('reads the same in pieces and in one', () => {
    expect(
      splitVisible(HOSTILE)
        .map(({ text }) => text)
        .join(''),
    ).toBe(visible(HOSTILE));
  });
});
