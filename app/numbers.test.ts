import { expect, it } from 'vitest';
import { tryAgain } from './numbers.ts';

it.each([
  [undefined, 'Try again in a few minutes.'],
  [1, 'Try again in 1 second.'],
  [120, 'Try again in 120 seconds.'],
  [121, 'Try again in 3 minutes.'],
  [1201, 'Try again in 21 minutes.'],
])('says when to try again after %s seconds, never too early', (seconds, sentence) => {
  expect(tryAgain(seconds)).toBe(sentence);
});
