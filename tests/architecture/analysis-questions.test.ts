import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROW = /^\|[^|]*\| `(\w+)` +\| `([\w/.-]+)` +\| `([\w-]+)` +\|$/gm;
const rows = [...readFileSync('lib/analysis/README.md', 'utf8').matchAll(ROW)].map(
  ([, name = '', file = '', rule = '']) => [name, file, rule] as const,
);

it('lib/analysis/README.md has a table of questions', () => {
  expect(rows.length).toBeGreaterThan(20);
});

it.each(rows)('%s is exported by %s and used by the rule %s', (name, file, rule) => {
  expect(readFileSync(`lib/analysis/${file}`, 'utf8')).toMatch(
    new RegExp(`^export (?:const|function\\*?|class) ${name}\\b`, 'm'),
  );
  expect(readFileSync(`lib/scanner/rules/${rule}.ts`, 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
});
