import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logLine, printableJson, withoutCommands } from './runner-commands.ts';

describe('a log', () => {
  it.each([
    ['::add-mask::x', '<U+003A>:add-mask::x'],
    ['a\n \u00A0\u3000::x::\n\n::y::', 'a\n \u00A0\u3000<U+003A>:x::\n\n<U+003A>:y::'],
    ['a\r::x::', 'a\r<U+003A>:x::'],
    [':::x', '<U+003A>::x'],
    ['a ##[b]c ###[d] #### [e] ##f', 'a #<U+0023>[b]c ##<U+0023>[d] #### [e] ##f'],
    ['##vso[task.x]y ##teamcity[z', '#<U+0023>vso[task.x]y #<U+0023>teamcity[z'],
    ['a::b ::c:: # [x]', 'a::b ::c:: # [x]'],
  ])('with %j is drawn as %j', (text, drawn) => {
    expect(withoutCommands(text)).toBe(drawn);
  });

  it('draws a sentence on one line', () => {
    expect(logLine('::a\n::b ##[c]')).toBe('<U+003A>:a<U+000A>::b #<U+0023>[c]');
  });
});

describe('printable JSON', () => {
  const text = fc.string({
    unit: fc.constantFrom('#', '[', ':', '\n', '\\', '"', '\u009B', '\u{E0041}', '\uD800', 'ü', 'v'),
  });

  it('is the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(JSON.parse(printableJson(value, 2))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('holds neither marks of commands nor hidden characters', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = printableJson(value, 2);
        expect(JSON.parse(json)).toEqual({ ...value });
        expect(json).not.toMatch(/##\w*\[|^\s*::|[^\P{C}\n]/mu);
      }),
    );
  });

  it('is ordinary JSON of ordinary text', () => {
    const value = { a: ['ü “漢” 🚀', { b: '# [x] :: ##' }] };
    expect(printableJson(value, 1)).toBe(`${JSON.stringify(value, null, 1)}\n`);
  });
});
