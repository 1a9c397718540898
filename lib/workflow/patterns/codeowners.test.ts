import { expect, it } from 'vitest';
import { ownsFile } from './codeowners.ts';

const CI = '.github/workflows/ci.yml';

it.each<[string, string, boolean]>([
  ['*', CI, true],
  ['/.github/', CI, true],
  ['.github/', CI, true],
  ['.github', CI, true],
  ['.github/*', CI, false],
  ['/.github/workflows/*', CI, true],
  ['.github/workflows/*.yml', CI, true],
  ['.github/workflows/*.yaml', CI, false],
  ['*.yml', CI, true],
  ['workflows/', CI, true],
  ['/workflows/', CI, false],
  ['**/workflows/*', CI, true],
  ['/docs/', CI, false],
  ['ci.yml', CI, true],
  ['/ci.yml', CI, false],
])('%s matches %s: %s', (pattern, path, expected) => {
  expect(ownsFile(pattern, path)).toBe(expected);
});
