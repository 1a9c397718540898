import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHost } from './github.ts';
import type { ActionSource, HostedRepository } from './port.ts';

let host: CodeHostForTests;
let source: ActionSource;
const commits: string[] = [];
const AT = { owner: 'team', name: 'action' };

beforeAll(async () => {
  host = await startCodeHost();
  const { world } = host;
  world.addAccount({ login: 'ada', type: 'User', email: 'ada@example.com' });
  const repository = await world.addRepository({
    fullName: 'team/action',
    description: 'Does something',
    stars: 7,
    releases: [{ tag: 'v1.0.0', publishedAt: '2026-01-02T00:00:00Z', immutable: true }],
  });
  await world.addRepository({ fullName: 'team/private', visibility: 'private' });
  const people = [
    { name: 'Ada', email: 'ada@example.com' },
    { name: 'renovate[bot]', email: '29139614+renovate[bot]@users.noreply.github.com' },
    { name: 'Ben', email: 'ben@example.com' },
  ];
  for (const [index, person] of people.entries()) {
    const oid = await world.commit(repository, 'main', {
      files: {
        'action.yml': 'name: a\nruns:\n  using: node24\n  main: dist/index.js\n',
        'dist/index.js': `// ${'x'.repeat(index === 2 ? 600_000 : 10)}\n`,
        'dist/logo.png': new Uint8Array([0, 1, 2]),
        'dist/link.js': { link: '../action.yml' },
      },
      message: `Change ${index}`,
      author: { ...person, date: new Date(`2026-0${index + 1}-01T00:00:00Z`) },
    });
    commits.push(oid);
  }
  await world.tag(repository, 'v1.0.0', commits[0] ?? '', true);
  await world.tag(repository, 'v1', commits[1] ?? '');
  for (let index = 0; index < 120; index += 1) await world.tag(repository, `v0.${index}.0`, commits[0] ?? '');
  await world.commit(repository, 'stray', {
    files: { 'action.yml': 'name: b\n' },
    message: 'Beside',
    author: { name: 'Eve', email: 'eve@example.com', date: new Date('2026-02-02T00:00:00Z') },
  });
  world.sign(repository, commits[2] ?? '');
  const { apiUrl, graphqlUrl, publicToken: token } = host;
  source = createCodeHost({ apiUrl, graphqlUrl, token }).actionSource;
}, 60_000);
afterAll(() => host.stop());

describe('what is read of an action’s repository', () => {
  it('is who owns it, who commits to it, and every tag peeled to its commit', async () => {
    await host.log();
    const found = (await source.readRepository('team', 'action', '2026-01-15T00:00:00Z')) as HostedRepository;
    expect(found).toMatchObject({
      owner: 'team',
      name: 'action',
      description: 'Does something',
      stars: 7,
      archived: false,
      head: commits[2],
      headAt: '2026-03-01T00:00:00Z',
      allAuthors: true,
      authors: [
        { key: 'ben@example.com', bot: false },
        { key: '29139614+renovate[bot]@users.noreply.github.com', bot: true },
      ],
    });
    expect(found.ownerScmId).toMatch(/^\d+$/);
    expect(found.tags).toHaveLength(122);
    expect(found.tags).toContainEqual({ name: 'v1.0.0', commit: commits[0], at: '2026-01-01T00:00:00Z' });
    expect(found.branches.map(({ name }) => name).sort()).toEqual(['main', 'stray']);
    expect(await host.log()).toHaveLength(2);
  });

  it('says when there are more tags than are read', async () => {
    const author = { name: 'Ada', email: 'ada@example.com', date: new Date('2026-01-01T00:00:00Z') };
    const refs = Object.fromEntries(Array.from({ length: 430 }, (_, index) => [`refs/tags/v0.${index}.0`, 0]));
    await host.world.addHistories([
      {
        repository: { fullName: 'team/many' },
        history: { commits: [{ files: {}, message: 'One', author }], refs: { ...refs, 'refs/heads/main': 0 } },
      },
    ]);
    const many = await source.readRepository('team', 'many', '2026-01-01T00:00:00Z');
    expect([many?.tags.length, many?.allTags, many?.allBranches]).toEqual([400, false, true]);
    expect((await source.readRepository('team', 'action', '2026-01-01T00:00:00Z'))?.allTags).toBe(true);
  });

  it('is nothing for a private or missing one, and for what is no name', async () => {
    for (const name of ['private', 'missing', '..', 'a/b']) {
      expect(await source.readRepository('team', name, '2026-01-01T00:00:00Z')).toBeUndefined();
    }
  });

  it('is the files of a commit without links, and their texts whatever their size', async () => {
    const commit = commits[2] ?? '';
    const { files, truncated } = await source.readTree(AT, commit);
    expect(truncated).toBe(false);
    expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['action.yml', expect.any(Number)],
      ['dist/index.js', 600_004],
      ['dist/logo.png', 3],
    ]);
    await host.log();
    const { texts, committedAt, verified } = await source.readTexts(AT, commit, files);
    expect([...texts.keys()].sort()).toEqual(['action.yml', 'dist/index.js']);
    expect(texts.get('dist/index.js')).toHaveLength(600_004);
    expect([committedAt, verified]).toEqual(['2026-03-01T00:00:00Z', true]);
    expect(await host.log()).toHaveLength(2);
    expect((await source.readTexts(AT, commits[0] ?? '', [])).verified).toBe(false);
  });

  it('is its releases, and whether a branch holds a commit', async () => {
    expect(await source.readReleases(AT)).toEqual([
      { tag: 'v1.0.0', draft: false, immutable: true, publishedAt: '2026-01-02T00:00:00Z' },
    ]);
    expect(await source.contains(AT, commits[2] ?? '', commits[0] ?? '')).toBe(true);
    expect(await source.contains(AT, commits[0] ?? '', commits[2] ?? '')).toBe(false);
    expect(await source.contains(AT, commits[2] ?? '', '0123456789012345678901234567890123456789')).toBe(false);
  });

  it('fails as the code host does, never as an empty answer', async () => {
    await host.fault({ match: 'POST /api/graphql', times: 4, effect: { kind: 'status', status: 502 } });
    await expect(source.readRepository('team', 'action', '2026-01-01T00:00:00Z')).rejects.toMatchObject({
      code: 'scm-unreachable',
    });
    host.clearFaults();
  });
});
