import { describe, expect, it } from 'vitest';
import { keptPicture } from './image-cache.ts';

describe('an image', () => {
  it('is drawn once, even for concurrent requests', async () => {
    let drawn = 0;
    const draw = async () => {
      drawn += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return new ArrayBuffer(drawn);
    };
    const first = await Promise.all(Array.from({ length: 20 }, () => keptPicture('one', draw)));
    const later = await keptPicture('one', draw);
    expect([drawn, new Set([...first, later]).size]).toEqual([1, 1]);
    expect((await keptPicture('two', draw)).byteLength).toBe(2);
  });

  it('is drawn again after a failure', async () => {
    await expect(keptPicture('three', () => Promise.reject(new Error('no font')))).rejects.toThrow('no font');
    expect((await keptPicture('three', async () => new ArrayBuffer(3))).byteLength).toBe(3);
  });
});
