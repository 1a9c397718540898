import { expect, test } from 'vitest';
import { halfOf, nameOfFolder } from './corpus-folder.ts';

test('a folder names its repository', () => {
  expect(nameOfFolder('/corpus/repos/acme__web')).toBe('acme/web');
  expect(nameOfFolder('/corpus/repos/acme__my__web')).toBe('acme/my__web');
  expect(nameOfFolder('/corpus/repos')).toBeUndefined();
});

test('a repository stays in its half however its name is written', () => {
  expect(halfOf('acme/web')).toBe(halfOf('Acme/Web'));
});

test('each half gets about half of the repositories', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `acme/repository-${index}`);
  const tuned = names.filter((name) => halfOf(name) === 'tune').length;
  expect(tuned).toBeGreaterThan(430);
  expect(tuned).toBeLessThan(570);
});
