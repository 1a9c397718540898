import { expect, it } from 'vitest';
import { NEWEST_DATA, oldDataNotice } from './data-age.ts';

it('is told when the newest table is more than thirty days old', () => {
  expect(NEWEST_DATA).toMatch(/^\d{4}-\d\d-\d\d$/);
  const at = (day: string) => oldDataNotice(new Date(`${day}T12:00:00Z`), '2026-11-01');
  expect(at('2026-11-01')).toBeUndefined();
  expect(at('2026-12-01')).toBeUndefined();
  expect(at('2026-12-02')).toMatchObject({
    severity: 'warning',
    message: expect.stringContaining('31 days') as string,
  });
  expect(at('2026-10-01')).toBeUndefined();
});
