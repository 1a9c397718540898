import { expect, it } from 'vitest';
import { OPERATIONS } from './operations.ts';
import { areaOf, OTHER_AREA } from './tags.ts';

it('puts every operation under a heading', () => {
  expect(OPERATIONS.filter(({ path }) => areaOf(path) === OTHER_AREA).map(({ path }) => path)).toEqual([]);
});

it('tells rules of a repository from the repository', () => {
  expect(areaOf('/api/repositories/{repo_id}/rule-overrides/{rule_id}')).toBe('Rules');
  expect(areaOf('/api/repositories/{repo_id}/monitor')).toBe('Repositories');
  expect(areaOf('/api/repositories/{repo_id}/combos')).toBe('Attack paths');
});
