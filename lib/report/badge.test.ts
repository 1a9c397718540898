import { describe, expect, it } from 'vitest';
import { drawBadge } from './badge.ts';

const counts = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
const title = (svg: string) => /<title>(.*?)<\/title>/.exec(svg)?.[1];

describe('a badge', () => {
  it.each([
    [{ ...counts, HIGH: 2, MEDIUM: 1 }, 'chainbreak: 2 high'],
    [{ ...counts, MEDIUM: 1, LOW: 4 }, 'chainbreak: 1 medium'],
    [{ ...counts, LOW: 4 }, 'chainbreak: 4 low'],
    [{ ...counts, INFO: 4 }, 'chainbreak: 4 info'],
    [counts, 'chainbreak: no findings'],
    [null, 'chainbreak: not scanned'],
  ])('shows the worst severity: %o', (given, expected) => {
    expect(title(drawBadge(given))).toBe(expected);
  });

  it('falls back to the default for a style that does not exist', () => {
    expect(drawBadge(null, { style: 'social' })).toBe(drawBadge(null, {}));
    expect(drawBadge(null, { style: 'for-the-badge' })).not.toBe(drawBadge(null, {}));
  });

  it.each(['<script>alert(1)</script>', '"onload="x', ']]>&amp;', '\u0000\u0001\uD800\uFFFE', 'x'.repeat(5_000)])(
    'stays a harmless image with the label %j',
    (label) => {
      const svg = drawBadge(null, { label });
      expect(svg).not.toMatch(/<script|\sonload=|<!|[\u0000-\u0008\uFFFE\uFFFF]/);
      expect(svg.isWellFormed()).toBe(true);
      expect(svg.length).toBeLessThan(20_000);
    },
  );
});
