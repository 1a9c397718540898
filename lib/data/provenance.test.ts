import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import provenance from './provenance.json' with { type: 'json' };

const tablesIn = (folder: string): string[] =>
  readdirSync(`lib/data/${folder}`).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

test('generated/ holds exactly the tables that a tool writes', () => {
  const written = Object.entries(provenance).flatMap(([file, entry]) =>
    'refreshed' in entry || ('how' in entry && entry.how.startsWith('lib/tools/')) ? [file] : [],
  );
  expect(tablesIn('generated')).toEqual(written.sort());
});

test('no source is recorded for a table that does not exist', () => {
  const tables = [...tablesIn('generated'), ...tablesIn('curated')];
  expect(Object.keys(provenance).filter((file) => !tables.includes(file))).toEqual([]);
});
