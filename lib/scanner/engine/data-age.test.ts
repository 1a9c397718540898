import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import { oldDataNotice, REFRESHED_ON } from './data-age.ts';

it('is reported when the tables are older than thirty days', () => {
  expect(REFRESHED_ON).toMatch(/^\d{4}-\d\d-\d\d$/);
  const at = (day: string) => oldDataNotice(new Date(`${day}T12:00:00Z`), '2026-11-01');
  expect(at('2026-11-01')).toBeUndefined();
  expect(at('2026-12-01')).toBeUndefined();
  expect(at('2026-12-02')).toMatchObject({
    severity: 'warning',
    message: expect.stringContaining('31 days') as string,
  });
  expect(at('2026-10-01')).toBeUndefined();
});

it('counts from the table refreshed longest ago, including every refreshed table', () => {
  const script = readFileSync('lib/tools/refresh.ts', 'utf8');
  const written = [...script.matchAll(/\bwrite\('([\w.-]+)'/g)].map(([, file]) => file as keyof typeof provenance);
  const marked = Object.entries(provenance).flatMap(([file, entry]) => ('refreshed' in entry ? [file] : []));
  expect([...new Set(written)].sort()).toEqual(marked.sort());
  expect(REFRESHED_ON).toBe(written.map((file) => provenance[file].date).sort()[0]);
});
