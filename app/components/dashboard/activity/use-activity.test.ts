import { describe, expect, it } from 'vitest';
import { mergeNewestFirst } from './use-activity.ts';

const at = (...times: string[]) => times.map((time) => ({ created_at: `2026-11-23T10:00:${time}+00:00` }));

describe('two lists of events', () => {
  it('become one, newest first, with fractions of a second', () => {
    expect(mergeNewestFirst(at('03', '02.5', '01'), at('02.51', '02', '00'))).toEqual(
      at('03', '02.51', '02.5', '02', '01', '00'),
    );
  });

  it('keep their own order where times are equal', () => {
    const a = [1, 2].map((n) => ({ created_at: 'x', n }));
    expect(mergeNewestFirst(a, [{ created_at: 'x', n: 3 }]).map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it('may be empty', () => {
    expect(mergeNewestFirst([], at('01'))).toEqual(at('01'));
    expect(mergeNewestFirst(at('01'), [])).toEqual(at('01'));
  });
});
