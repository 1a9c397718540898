import { expect, it } from 'vitest';
import { isOneEditApart, skeletonOf } from './name-similarity.ts';

it.each([
  ['actions', 'action', true],
  ['actions', 'acttions', true],
  ['actions', 'actoins', true],
  ['actions', 'octions', true],
  ['actions', 'actionz', true],
  ['actions', 'actions', false],
  ['actions', 'acton', false],
  ['actions', 'actoisn', false],
  ['', 'a', true],
  ['', '', false],
])('%j and %j are one edit apart: %j', (a, b, expected) => {
  expect(isOneEditApart(a, b)).toBe(expected);
  expect(isOneEditApart(b, a)).toBe(expected);
});

it('makes one what looks alike, and keeps apart what does not', () => {
  expect(skeletonOf('tj-actions')).toBe(skeletonOf('TJactlons'));
  expect(skeletonOf('modern')).toBe(skeletonOf('m0dem'));
  expect(skeletonOf('gradle')).not.toBe(skeletonOf('grade'));
});
