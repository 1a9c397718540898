import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type FileChanges, GitRepository } from './git.ts';
import type { Repository } from './model.ts';
import { World } from './world.ts';

const AUTHOR = { name: 'Ada', email: 'ada@example.com', date: new Date('2026-11-01T00:00:00Z') };

function open(folder = mkdtempSync(join(tmpdir(), 'chainbreak-world-'))): { world: World; folder: string } {
  const world = World.open(folder);
  onTestFinished(() => {
    world.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return { world, folder };
}

async function textAt(world: World, repository: Repository, revision: string): Promise<string | undefined> {
  return (await world.git(repository).object(revision))?.content.toString();
}

function commit(
  world: World,
  repository: Repository,
  files: FileChanges,
  { branch = 'main', keepOthers = false } = {},
): Promise<string> {
  return world.commit(repository, branch, { files, keepOthers, message: 'Change', author: AUTHOR });
}

it('imports a thousand repositories without a process for each', async () => {
  const { world, folder } = open();
  const began = performance.now();
  const added = await world.addRepositories(
    Array.from({ length: 1_000 }, (_, index) => ({
      fullName: `org/r${index}`,
      files: { '.github/workflows/ci.yml': `on: push # ${index}\n`, 'README.md': '#' },
    })),
  );
  expect(1_000 / ((performance.now() - began) / 1_000)).toBeGreaterThan(100);
  const [first, , third] = added as [Repository, Repository, Repository];
  expect(await textAt(world, third, 'HEAD:.github/workflows/ci.yml')).toBe('on: push # 2\n');
  expect(await textAt(world, first, 'refs/heads/main:.github/workflows/ci.yml')).toBe('on: push # 0\n');
  expect(readdirSync(join(folder, 'git'))).toEqual(['pool.git']);
});

it('isolates repositories that share a pool', async () => {
  const { world } = open();
  const [one, two, three] = (await world.addRepositories([
    { fullName: 'org/one', files: { a: 'first' } },
    { fullName: 'org/two', files: { a: 'second' }, defaultBranch: 'trunk' },
    { fullName: 'org/three' },
  ])) as [Repository, Repository, Repository];
  const head = (await world.git(one).object('HEAD'))?.oid ?? '';
  expect(await textAt(world, one, `${head}:a`)).toBe('first');
  for (const revision of [head, `${head}:a`, `${head}^{tree}`, 'main', 'refs/loose/last', 'refs/loose/last:a']) {
    expect(await world.git(two).object(revision)).toBeUndefined();
    expect(await world.git(three).object(revision)).toBeUndefined();
  }
  await commit(world, one, { a: 'changed' });
  await commit(world, three, { b: 'new' });
  expect(await textAt(world, one, 'HEAD:a')).toBe('changed');
  expect(await textAt(world, one, `${head}:a`)).toBe('first');
  expect(await textAt(world, two, 'trunk:a')).toBe('second');
  expect(await textAt(world, three, 'HEAD:b')).toBe('new');
  const other = (await world.git(two).object('HEAD'))?.oid ?? '';
  expect(await world.git(one).object(other)).toBeUndefined();
});

it('commits exactly the given files, or only changes them', async () => {
  const { world } = open();
  const repository = await world.addRepository({ fullName: 'org/web', files: { a: '1', b: '1', 'c/d': '1' } });
  await commit(world, repository, { a: '2', b: null, 'e/f': 'new' }, { keepOthers: true });
  const now = (): Promise<(string | undefined)[]> =>
    Promise.all(['a', 'b', 'c/d', 'e/f'].map((path) => textAt(world, repository, `HEAD:${path}`)));
  expect(await now()).toEqual(['2', undefined, '1', 'new']);
  await commit(world, repository, { x: 'x' }, { branch: 'feature/x', keepOthers: true });
  expect(await textAt(world, repository, 'refs/heads/feature/x:a')).toBe('2');
  await commit(world, repository, { b: '3' });
  expect(await now()).toEqual([undefined, '3', undefined, undefined]);
});

it('keeps both of two concurrent commits', async () => {
  const { world } = open();
  const repository = await world.addRepository({ fullName: 'org/web', files: { a: '1' } });
  const files = Array.from({ length: 5 }, (_, index) => `f${index}`);
  await Promise.all(files.map((path) => commit(world, repository, { [path]: path }, { keepOthers: true })));
  for (const path of files) expect(await textAt(world, repository, `HEAD:${path}`)).toBe(path);
});

it.each(['', '/etc/x', '../x', 'a/../x', 'a//b', './a', '.git/config', 'a\nb', 'a"b', 'a\\b', 'a\0'])(
  'refuses to write the file %j',
  async (path) => {
    const { world } = open();
    const repository = await world.addRepository({ fullName: 'org/web', files: { a: '1' } });
    await expect(commit(world, repository, { [path]: 'x' })).rejects.toThrow('no path of a file');
    await expect(world.addRepository({ fullName: 'org/two', files: { [path]: 'x' } })).rejects.toThrow('no path');
    expect(await textAt(world, repository, 'HEAD:a')).toBe('1');
  },
);

it.each(['', '../x', 'a b', 'a\nb', '-x', 'a..b', 'a.lock', 'a/', '/a', 'a//b'])(
  'refuses to create the branch %j',
  async (branch) => {
    const { world } = open();
    const repository = await world.addRepository({ fullName: 'org/web', files: { a: '1' } });
    await expect(commit(world, repository, { a: '2' }, { branch })).rejects.toThrow('no name of a branch');
  },
);

it('keeps pushed and imported commits over a restart', async () => {
  const { world, folder } = open();
  const [pushed, imported] = (await world.addRepositories([
    { fullName: 'org/pushed', files: { a: '1' } },
    { fullName: 'org/imported', files: { a: '2' } },
  ])) as [Repository, Repository];
  await world.seed(async () => {});
  const head = await commit(world, pushed, { a: '3' });
  world.updateRepository(imported, { name: 'renamed', visibility: 'private' });
  world.close();
  const { world: again } = open(folder);
  const found = again.repository('org/pushed') as Repository;
  expect((await again.git(found).object('HEAD'))?.oid).toBe(head);
  const other = again.repository('org/imported') as Repository;
  expect(other).toMatchObject({ name: 'renamed', visibility: 'private', formerNames: ['org/imported'] });
  expect(await textAt(again, other, 'HEAD:a')).toBe('2');
  expect((await again.addRepository({ fullName: 'org/new', files: { a: '4' } })).importedHead).not.toBeNull();
});

it('repeats an interrupted first push', async () => {
  const { world, folder } = open();
  const repository = await world.addRepository({ fullName: 'org/web', files: { a: '1' } });
  const left = join(folder, 'git', `${repository.id}.git`);
  const half = await GitRepository.create(left, 'main');
  await half.commit('main', { files: { half: '' }, message: 'Half', author: AUTHOR });
  half.close();
  await commit(world, repository, { b: '2' }, { keepOthers: true });
  expect(await textAt(world, repository, 'HEAD:a')).toBe('1');
  expect(await textAt(world, repository, 'HEAD:half')).toBeUndefined();
});

it('reserves a name, and redirects former names until someone takes them', async () => {
  const { world } = open();
  const repository = await world.addRepository({ fullName: 'org/web' });
  await expect(world.addRepository({ fullName: 'ORG/Web' })).rejects.toThrow('exists');
  await expect(world.addRepositories([{ fullName: 'org/x' }, { fullName: 'org/X' }])).rejects.toThrow('exists');
  const other = await world.addRepository({ fullName: 'org/other' });
  expect(() => world.updateRepository(other, { name: 'web' })).toThrow('exists');
  expect(other.name).toBe('other');
  world.updateRepository(repository, { name: 'site' });
  expect(world.repository('org/web')).toBe(repository);
  const taker = await world.addRepository({ fullName: 'org/web' });
  expect(world.repository('org/web')).toBe(taker);
  world.removeRepository(taker);
  expect(world.repository('org/web')).toBe(repository);
});

it('grants nothing by a pending invitation', async () => {
  const { world } = open();
  const organization = world.addAccount({ login: 'org', type: 'Organization' });
  const person = world.addAccount({ login: 'ada', type: 'User' });
  const repository = await world.addRepository({ fullName: 'org/web', visibility: 'private' });
  world.addMember(organization, person, 'admin', 'pending');
  expect(world.access(repository, person.id)).toBe('none');
  world.addMember(organization, person, 'admin');
  expect(world.access(repository, person.id)).toBe('admin');
  world.removeMember(organization, person);
  expect(world.access(repository, person.id)).toBe('none');
});

it('resolves a relative folder from where the program runs', async () => {
  const { world } = open(relative(process.cwd(), mkdtempSync(join(tmpdir(), 'chainbreak-world-'))));
  const repository = await world.addRepository({ fullName: 'org/relative', files: { 'a.txt': 'first' } });
  await commit(world, repository, { 'a.txt': 'second' });
  expect(await textAt(world, repository, 'main:a.txt')).toBe('second');
});
