import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SCANNER = join(import.meta.dirname, '../../lib/scanner');

const OFFSET_ARITHMETIC: readonly (readonly [string, RegExp])[] = [
  ['the helpers for lines and indentation', /\bedits\/lines\.ts'/],
  ['a search for a line break', /\b(?:lastIndexOf|indexOf)\('\\n'/],
  ['an offset within a scalar', /\boffsetInScalar\b/],
  ['a sum with an offset of a span', /\bspan\.(?:start|end)\)? ?[-+] ?/],
  ['a span made of offsets', /\bspan: \{ *(?:start|end):/],
];

const files = ['rules', 'remedies', 'shared'].flatMap((folder) =>
  readdirSync(join(SCANNER, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

it.each(files)('%s edits nodes, not offsets', (file) => {
  const text = readFileSync(join(SCANNER, file), 'utf8');
  const found = OFFSET_ARITHMETIC.flatMap(([what, pattern]) => (pattern.test(text) ? [what] : []));
  expect(found).toEqual([]);
});
