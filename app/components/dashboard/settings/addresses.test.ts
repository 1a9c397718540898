import { describe, expect, it } from 'vitest';
import { addressesIn } from './addresses.ts';

describe('the addresses of a pasted list', () => {
  it.each([
    ['one a line', 'ada@acme.example\nmel@acme.example\r\n', ['ada@acme.example', 'mel@acme.example']],
    [
      'with commas, semicolons and spaces',
      'a@x.example, b@x.example;c@x.example d@x.example',
      ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'],
    ],
    [
      'with names before them',
      'Ada Lovelace <ada@acme.example>, "Mel" <mel@acme.example>',
      ['ada@acme.example', 'mel@acme.example'],
    ],
    ['twice, in other cases', 'Ada@acme.example\nada@ACME.example', ['Ada@acme.example']],
    ['mistyped: kept, so that the result says so', 'melacme.example', ['melacme.example']],
    ['nothing', ' \n,;', []],
  ])('%s', (_form, text, expected) => {
    expect(addressesIn(text)).toEqual(expected);
  });
});
