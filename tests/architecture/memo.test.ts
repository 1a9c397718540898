import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const files = ['lib/analysis', 'lib/scanner', 'lib/combos', 'lib/scorer'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
);

it('analyses, rules and combinations memoize only through lib/analysis/memo.ts', () => {
  const users = files.filter((file) => /\bnew WeakMap\b/.test(readFileSync(file, 'utf8')));
  expect(users).toEqual(['lib/analysis/memo.ts']);
});
