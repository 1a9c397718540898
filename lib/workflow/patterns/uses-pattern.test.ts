import { describe, expect, it } from 'vitest';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { parseReference } from '../model/reference.ts';
import { usesPattern } from './uses-pattern.ts';

describe('usesPattern', () => {
  it.each([
    ['actions/*', 'actions/checkout@v4', true],
    ['actions/*', 'Actions/Checkout@v4', true],
    ['actions/*', 'actions-rs/cargo@v1', false],
    ['acme/deploy', 'acme/deploy@v1', true],
    ['acme/deploy', 'acme/deploy/sub@v1', true],
    ['acme/deploy', 'acme/deploy-more@v1', false],
    ['acme/deploy/sub', 'acme/deploy@v1', false],
    ['acme/deploy@v1', 'acme/deploy@v1', true],
    ['acme/deploy@v1', 'acme/deploy@V1', false],
    ['acme/deploy@v1.*', 'acme/deploy@v1.2', true],
    ['acme/deploy@v1.*', 'acme/deploy@v2.1', false],
    ['*/setup-*@*', 'acme/setup-go@main', true],
    ['a*aa', 'a/aa@v1', true],
    ['ab*ba', 'ab/a@v1', false],
    ['*', './local', false],
    ['*', 'docker://alpine:3', false],
    ['docker://ghcr.io/acme/*', 'docker://ghcr.io/Acme/lint:1', true],
    ['docker://alpine', 'docker://alpine:3', true],
    ['docker://alpine', 'docker://alpine-sdk:3', false],
  ])('%s for %s is %s', (pattern, uses, expected) => {
    const reference = parseReference(uses);
    if (reference === undefined) throw new Error('no reference');
    expect(usesPattern(pattern)(reference)).toBe(expected);
  });

  it('is fast with many stars', () => {
    const matches = usesPattern(`${'a*'.repeat(100)}b/c`);
    const reference = parseReference(`${'a'.repeat(20_000)}/c@v1`);
    if (reference === undefined) throw new Error('no reference');
    const spent = leastCpuTimeOf(1_000, () => {
      for (let index = 0; index < 100; index += 1) matches(reference);
    });
    expect(spent).toBeLessThan(1_000);
  });
});
