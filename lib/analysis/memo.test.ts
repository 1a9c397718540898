import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { memoByNode, memoByRepository, memoInRepository, RepositoryMemo } from './memo.ts';

const FILES = [{ path: '.github/workflows/a.yml', text: 'on: push\njobs: {}\n' }];

it('computes a value once per node, even if it is undefined', () => {
  let calls = 0;
  const find = memoByNode(() => {
    calls += 1;
    return undefined;
  });
  const node = {};
  find(node);
  find(node);
  expect(calls).toBe(1);
  find({});
  expect(calls).toBe(2);
});

it('computes a value again for another repository, since it can depend on other files', () => {
  let calls = 0;
  const node = {};
  const [one, other] = [createRepository(FILES), createRepository(FILES)];
  const ofRepository = memoByRepository(() => (calls += 1));
  expect([ofRepository(one), ofRepository(one), ofRepository(other)]).toEqual([1, 1, 2]);
  const inRepository = memoInRepository(() => (calls += 1));
  expect([inRepository(node, one), inRepository(node, one), inRepository(node, other)]).toEqual([3, 3, 4]);
});

it('keeps values by repository, node and key', () => {
  const memo = new RepositoryMemo<object, string, number>();
  const [one, other] = [createRepository(FILES), createRepository(FILES)];
  const node = {};
  expect(memo.get(one, node, 'key', () => 1)).toBe(1);
  expect(memo.get(one, node, 'key', () => 2)).toBe(1);
  expect(memo.get(one, node, 'another key', () => 3)).toBe(3);
  expect(memo.get(one, {}, 'key', () => 4)).toBe(4);
  expect(memo.get(other, node, 'key', () => 5)).toBe(5);
});
