import { expect, test } from 'vitest';
import { joinFirst, joinList } from './join-list.ts';

test('joins up to three names with “and”, and counts the others after two', () => {
  expect([0, 1, 2, 3, 4, 5].map((count) => joinList(['a', 'b', 'c', 'd', 'e'].slice(0, count)))).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
    'a, b and 2 more',
    'a, b and 3 more',
  ]);
});

test('counts the names after the first', () => {
  expect(joinFirst(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(joinFirst(['a', 'b', 'c', 'd'], 3)).toBe('a, b, c and 1 more');
});
