import { expect, it } from 'vitest';
import { matchedBy } from './whole-pattern.ts';

it.each([
  ['^[0-9]+$', 'plain'],
  ['^(one|two)$', 'plain'],
  ['^v[0-9]+\\.[0-9]+(-rc\\.?[0-9]+)?$', 'plain'],
  ['^[[:alnum:]_.-]{1,40}$', 'plain'],
  ['^[A-Za-z0-9 ]*$', 'plain'],
  ['^refs/heads/[a-z./-]+$', 'plain'],
  ['^[A-Z_]+=[0-9]+$', 'number'],
  ['^(A|B)=([0-9]|1[[:digit:]]){1,3}$', 'number'],
  ['^[A-Z_]+=[a-z]+$', 'line'],
  ['^[A-Za-z0-9+/=]+$', 'line'],
  ['^([A-Z]+=[0-9]+)$', 'line'],
  ['^A=[0-9]+=x$', 'line'],
  ['[0-9]+', undefined],
  ['^[0-9]+', undefined],
  ['[0-9]+$', undefined],
  ['^[0-9]+\\$', undefined],
  ['^a|b$', undefined],
  ['^.*$', undefined],
  ['^[^a]+$', undefined],
  ['^[A-z]+$', undefined],
  ['^[,-z]+$', undefined],
  ['^[[:space:]]+$', undefined],
  ['^[[:print:]]+$', undefined],
  ['^[a-z;]+$', undefined],
  ['^[a-z$]+$', undefined],
  ['^$PREFIX[0-9]+$', undefined],
  ['^\\S+$', undefined],
  ['^[0-9$', undefined],
  ['^$', 'plain'],
])('knows what matches %s: %s', (pattern, matched) => {
  expect(matchedBy(pattern)).toBe(matched);
});
