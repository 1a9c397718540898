import { expect, it } from 'vitest';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { matchesRef } from './ref-pattern.ts';

it.each<[string, string, boolean]>([
  ['~ALL', 'refs/tags/v1', true],
  ['refs/tags/v1', 'refs/tags/v1', true],
  ['refs/tags/v1', 'refs/tags/v12', false],
  ['refs/tags/v*', 'refs/tags/v1.2.3', true],
  ['refs/tags/v*', 'refs/tags/release-1', false],
  ['refs/tags/*', 'refs/tags/a/b', false],
  ['refs/tags/**', 'refs/tags/a/b', true],
  ['refs/tags/**/*', 'refs/tags/a/b', true],
  ['refs/tags/v?', 'refs/tags/v1', true],
  ['refs/tags/v?', 'refs/tags/v12', false],
  ['*', 'v1', true],
  ['', '', true],
])('%s matches %s: %s', (pattern, ref, expected) => {
  expect(matchesRef(pattern, ref)).toBe(expected);
});

it('takes no longer for a hostile pattern', () => {
  const spent = leastCpuTimeOf(500, () => {
    expect(matchesRef('*a'.repeat(149), 'a'.repeat(299))).toBe(true);
    expect(matchesRef(`${'**a'.repeat(90)}b`, 'a'.repeat(299))).toBe(false);
  });
  expect(spent).toBeLessThan(500);
});
