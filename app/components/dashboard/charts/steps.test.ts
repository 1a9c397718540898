import { describe, expect, it } from 'vitest';
import { drawSteps, type Point } from './steps.ts';

const point = (at: number, HIGH: number, MEDIUM = 0, LOW = 0, INFO = 0): Point => ({
  at,
  counts: { HIGH, MEDIUM, LOW, INFO },
});

describe('a stacked step chart', () => {
  it('holds each number until the next, with the most severe at the bottom', () => {
    const { areas, most } = drawSteps([point(0, 1, 1), point(50, 3, 2)], 100);
    expect(most).toBe(5);
    expect(areas.map(({ severity }) => severity)).toEqual(['HIGH', 'MEDIUM', 'LOW', 'INFO']);
    expect(areas[0]?.d).toBe('M0 80 500 80L500 40 1000 40L1000 100 500 100L500 100 0 100Z');
    expect(areas[1]?.d).toBe('M0 60 500 60L500 0 1000 0L1000 40 500 40L500 80 0 80Z');
  });

  it('ends above the largest sum at 1, 2, 5 or 10 times a power of ten', () => {
    const mostOf = (count: number) => drawSteps([point(0, count)], 1).most;
    expect([0, 1, 3, 11, 83, 201, 1_000].map(mostOf)).toEqual([1, 1, 5, 20, 100, 500, 1_000]);
  });

  it('is empty without points, and as wide as the picture with one', () => {
    expect(drawSteps([], 5).areas[0]?.d).toBe('');
    expect(drawSteps([point(5, 1)], 6).areas[0]?.d).toBe('M0 0 1000 0L1000 100 0 100Z');
  });
});
