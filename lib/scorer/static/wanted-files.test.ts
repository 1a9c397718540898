import { expect, it } from 'vitest';
import { isWantedFile, resolvePath } from './wanted-files.ts';

it.each([
  ['action.yml', true],
  ['sub/action.yaml', true],
  ['Dockerfile', true],
  ['docker/Dockerfile.alpine', true],
  ['dist/index.js', true],
  ['src/run.mjs', true],
  ['entrypoint.sh', true],
  ['package.json', true],
  ['package-lock.json', false],
  ['src/index.ts', false],
  ['node_modules/a/index.js', false],
  ['tests/run.js', false],
  ['README.md', false],
])('%s is wanted: %s', (path, wanted) => {
  expect(isWantedFile(path)).toBe(wanted);
});

it('resolves paths and does not leave the repository', () => {
  expect(resolvePath('a/b', './../c//d')).toBe('a/c/d');
  expect(resolvePath('', 'dist/index.js')).toBe('dist/index.js');
  expect(resolvePath('a', '../../etc')).toBeUndefined();
});
