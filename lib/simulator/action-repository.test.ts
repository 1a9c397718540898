import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advisory } from '../../tests/support/advisory.ts';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';

let host: CodeHostForTests;
let first: string;
let second: string;

beforeAll(async () => {
  host = await startCodeHost();
  const ada = host.world.addAccount({ login: 'ada', type: 'User', email: 'ada@example.com' });
  const repository = await host.world.addRepository({
    fullName: 'team/action',
    stars: 12,
    releases: [
      { tag: 'v1.0.0', publishedAt: '2026-01-02T00:00:00Z', immutable: false },
      { tag: 'v1.1.0', publishedAt: '2026-03-02T00:00:00Z', immutable: true },
    ],
  });
  const commit = (date: string, files: Record<string, string>) =>
    host.world.commit(repository, 'main', {
      files,
      message: 'Change',
      author: { name: 'Ada', email: ada.email ?? '', date: new Date(date) },
      keepOthers: true,
    });
  first = await commit('2025-01-01T00:00:00Z', { 'action.yml': 'name: a\n' });
  second = await commit('2026-03-01T00:00:00Z', { 'dist/index.js': 'x'.repeat(100) });
  host.world.sign(repository, second);
  for (const name of ['team/action', 'team/other']) {
    host.world.advisories.push(advisory({ name, range: '< 1.1.0' }));
  }
});
afterAll(() => host.stop());

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${host.apiUrl}${path}`, { headers: { authorization: `Bearer ${host.publicToken}` } });
  return response.json();
}

async function query(text: string): Promise<unknown> {
  const response = await fetch(host.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.publicToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: text }),
  });
  return ((await response.json()) as { data: unknown }).data;
}

describe('the repository of an action', () => {
  it('tells who owns it and how many like it', async () => {
    expect(
      await query(`{ repository(owner: "team", name: "action") {
        stargazerCount createdAt
        owner { __typename login ... on Organization { databaseId createdAt } }
      } }`),
    ).toMatchObject({
      repository: {
        stargazerCount: 12,
        owner: { __typename: 'Organization', login: 'team', createdAt: expect.any(String) },
      },
    });
  });

  it('tells who committed since a time, and which commits are signed', async () => {
    const fields = `nodes { oid author { email user { login } } signature { isValid } } pageInfo { hasNextPage }`;
    const history = (args: string) =>
      query(`{ repository(owner: "team", name: "action") { object(oid: "${second}") {
        ... on Commit { history(${args}) { ${fields} } } } } }`);
    const newest = {
      oid: second,
      author: { email: 'ada@example.com', user: { login: 'ada' } },
      signature: { isValid: true },
    };
    expect(await history('first: 10, since: "2026-01-01T00:00:00Z"')).toEqual({
      repository: { object: { history: { nodes: [newest], pageInfo: { hasNextPage: false } } } },
    });
    expect(await history('first: 1')).toMatchObject({
      repository: { object: { history: { nodes: [newest], pageInfo: { hasNextPage: true } } } },
    });
    expect(await history('first: 2')).toMatchObject({
      repository: { object: { history: { nodes: [newest, { oid: first, signature: null }] } } },
    });
  });

  it('gives files by their id, and releases newest first', async () => {
    const { repository } = (await query(
      '{ repository(owner: "team", name: "action") { object(expression: "main:dist/index.js") { oid } } }',
    )) as { repository: { object: { oid: string } } };
    const blob = (await get(`/repos/team/action/git/blobs/${repository.object.oid}`)) as {
      content: string;
      size: number;
    };
    expect(Buffer.from(blob.content, 'base64').toString()).toBe('x'.repeat(blob.size));
    expect(await get('/repos/team/action/git/blobs/0123456789012345678901234567890123456789')).toMatchObject({
      message: 'Not Found',
    });
    expect(await get('/repos/team/action/releases?per_page=1')).toMatchObject([
      { tag_name: 'v1.1.0', immutable: true },
    ]);
  });

  it('has the advisories of its name alone', async () => {
    expect(await get('/advisories?ecosystem=actions&affects=Team/Action')).toMatchObject([{ summary: 'team/action' }]);
    expect(await get('/advisories?ecosystem=npm')).toEqual([]);
  });
});
