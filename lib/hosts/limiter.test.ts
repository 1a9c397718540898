import { expect, it } from 'vitest';
import { Limiter } from './limiter.ts';

it('runs at most the allowed number at once, and everything in the end, also after failures', async () => {
  const limiter = new Limiter({ maxConcurrent: 3 });
  let running = 0;
  let most = 0;
  const task = (index: number) => async (): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    if (index % 4 === 0) throw new Error('failed');
    return index;
  };
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => limiter.run(task(index))));
  expect(most).toBe(3);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  expect(await limiter.run(async () => 'still open')).toBe('still open');
});

it('reopens after the longest wait', () => {
  let now = 1_000_000;
  const limiter = new Limiter({ now: () => now });
  expect(limiter.waitSeconds).toBeUndefined();
  limiter.close(60);
  limiter.close(5);
  expect(limiter.waitSeconds).toBe(60);
  now += 59_900;
  expect(limiter.waitSeconds).toBe(1);
  now += 100;
  expect(limiter.waitSeconds).toBeUndefined();
});
