import { describe, expect, it } from 'vitest';
import { nextLook } from './last-look.ts';

const at = (time: string) => new Date(`2026-11-23T${time}:00.000Z`);

describe('the last look at an overview', () => {
  it('is unknown at first, and stays the same over reloads', () => {
    const first = nextLook(undefined, at('09:00'));
    expect(first).toEqual({ before: null, latest: '2026-11-23T09:00:00.000Z' });
    const later = nextLook(first, at('11:00'));
    expect(later.before).toBe('2026-11-23T09:00:00.000Z');
    const reloaded = nextLook(later, at('11:20'));
    expect(reloaded).toEqual({ before: '2026-11-23T09:00:00.000Z', latest: '2026-11-23T11:20:00.000Z' });
  });
});
