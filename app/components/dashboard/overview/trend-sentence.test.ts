import { describe, expect, it } from 'vitest';
import type { Point } from '../charts/steps.ts';
import { sentenceOf } from './trend-sentence.ts';

const days = (...high: readonly number[]): readonly Point[] =>
  high.map((HIGH, day) => ({ at: day * 86_400_000, counts: { HIGH, MEDIUM: 0, LOW: 2, INFO: 0 } }));
const run = (from: number, to: number) => days(...Array.from({ length: 30 }, () => from), to);

describe('the sentence about open findings', () => {
  it('compares the most severe with 30 days ago', () => {
    expect(sentenceOf(run(15, 11))).toBe('11 high, 4 fewer than 30 days ago.');
    expect(sentenceOf(run(10, 11))).toBe('11 high, 1 more than 30 days ago.');
    expect(sentenceOf(run(11, 11))).toBe('11 high, as many as 30 days ago.');
    expect(sentenceOf(run(3, 0))).toBe('0 high, 3 fewer than 30 days ago.');
    expect(sentenceOf(run(0, 0))).toBe('2 low, as many as 30 days ago.');
  });

  it('claims no progress where nothing was scanned then', () => {
    const nothing = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
    const fresh = run(0, 11).map((point, day) => (day < 30 ? { ...point, counts: nothing } : point));
    expect(sentenceOf(fresh)).toBe('11 high. No findings were recorded 30 days ago.');
    expect(sentenceOf([])).toBe('Nothing is open.');
  });
});
