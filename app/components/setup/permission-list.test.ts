import { expect, it } from 'vitest';
import { APP_PERMISSIONS } from '#lib/simulator/manifest.ts';
import { PERMISSIONS } from './permission-list.ts';

it('explains each permission that the app asks for, and no other', () => {
  const told = PERMISSIONS.map(({ id, writes }) => [id, writes ? 'write' : 'read']);
  expect(Object.fromEntries(told)).toEqual(APP_PERMISSIONS);
});
