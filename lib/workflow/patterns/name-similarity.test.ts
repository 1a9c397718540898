import { expect, it } from 'vitest';
import { confusableSkeleton, isOneEditApart } from './name-similarity.ts';

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

it('merges look-alikes, and distinguishes others', () => {
  expect(confusableSkeleton('tj-actions')).toBe(confusableSkeleton('TJactlons'));
  expect(confusableSkeleton('modern')).toBe(confusableSkeleton('m0dem'));
  expect(confusableSkeleton('gradle')).not.toBe(confusableSkeleton('grade'));
});
