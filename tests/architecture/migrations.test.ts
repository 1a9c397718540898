import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';

it('gives each migration a version of its own: of two with the same one, the second is never applied', () => {
  const versions = readdirSync('supabase/migrations').map((name) => name.split('_')[0]);
  expect(versions.filter((version, index) => versions.indexOf(version) !== index)).toEqual([]);
});
