import { expect, test } from 'vitest';
import { safeNext } from './next-page.ts';

test.each(['/o', '/o/1/findings?sev=HIGH&f=2#a', '/account', '/invites/1', '/setup?installation_id=1'])(
  'the sign-in leads to %s',
  (next) => {
    expect(safeNext(next)).toBe(next);
  },
);

test.each([
  null,
  '',
  'o',
  '/rules',
  '/other',
  '/oo',
  '//evil.example/o',
  '/\\evil.example',
  '/o\\..\\..\\evil',
  '/o\n/x',
  '/o /x',
  'https://evil.example/o',
  'javascript:alert(1)',
])('the sign-in ignores %j', (next) => {
  expect(safeNext(next)).toBe('/o');
});
