import { expect, it } from 'vitest';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { memoByRepository, RepositoryMemo } from './memo.ts';

const FILES = [{ path: '.github/workflows/a.yml', text: 'on: push\njobs: {}\n' }];

/** Whether it looks at more of a repository than a file. */
function globalReads(repository: Repository, act: () => unknown): boolean {
  const before = repository.globalReads;
  act();
  return repository.globalReads !== before;
}

it('what follows from a repository is found once for each, and is a look at all of it also when it is known', () => {
  let found = 0;
  const find = memoByRepository(() => {
    found += 1;
    return undefined;
  });
  const [one, other] = [createRepository(FILES), createRepository(FILES)];
  expect(globalReads(one, () => find(one))).toBe(true);
  expect(globalReads(one, () => find(one))).toBe(true);
  expect(found).toBe(1);
  find(other);
  expect(found).toBe(2);
});

it('what follows from a part alone is kept as long as the part', () => {
  const kept = new RepositoryMemo<object, string, number>();
  const [one, other] = [createRepository(FILES), createRepository(FILES)];
  const part = {};
  expect(kept.get(one, part, 'key', () => 1)).toBe(1);
  expect(kept.get(other, part, 'key', () => 2)).toBe(1);
  expect(kept.get(other, part, 'another key', () => 3)).toBe(3);
  expect(kept.get(other, {}, 'key', () => 4)).toBe(4);
  expect(globalReads(one, () => kept.get(one, part, 'key', () => 5))).toBe(false);
});

it('what follows from a part and the whole repository is kept for this repository, and stays a look at all of it', () => {
  const kept = new RepositoryMemo<object, string, number>();
  const [one, other] = [createRepository(FILES), createRepository(FILES)];
  const part = {};
  const find = (repository: Repository, value: number) => () => value + repository.workflows.length;
  expect(kept.get(one, part, 'key', find(one, 1))).toBe(2);
  expect(globalReads(one, () => expect(kept.get(one, part, 'key', find(one, 5))).toBe(2))).toBe(true);
  expect(kept.get(other, part, 'key', find(other, 10))).toBe(11);
});
