import { App } from '@octokit/app';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Repository } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import { Client } from './client.ts';
import { octokitFor, SILENT } from './octokit.ts';
import { InstallationTokens } from './tokens.ts';

const GRANTED = {
  metadata: 'read',
  contents: 'write',
  workflows: 'write',
  administration: 'read',
  members: 'read',
  actions: 'read',
};

let host: CodeHostForTests;
let app: App;
let web: Repository;
let head: string;

beforeAll(async () => {
  host = await startCodeHost();
  const team = host.world.addAccount({ login: 'team', type: 'Organization' });
  host.world.addInstallation({ id: 900, accountId: team.id, permissions: GRANTED });
  const files = { '.github/workflows/ci.yml': 'on: push\n' };
  web = await host.addRepository({ fullName: 'team/web', visibility: 'private', files });
  await host.addRepository({ fullName: 'team/other', visibility: 'private', files });
  head = (await host.push('team/web', { files })).after;
  const { id: appId, privateKey } = host.app;
  app = new App({ appId, privateKey, Octokit: octokitFor(host.apiUrl), log: SILENT });
});
afterAll(() => host.stop());

async function tokenFor(permissions: readonly string[], repositoryId?: number): Promise<string> {
  const asApp = new Client({ octokit: app.octokit, graphqlUrl: host.graphqlUrl });
  const scope = { permissions, ...(repositoryId === undefined ? {} : { repositoryId }) };
  return (await new InstallationTokens(app, asApp, '900').tokensFor(scope).get()) ?? '';
}

function createBranch(token: string, branch: string): Promise<Response> {
  return fetch(`${host.apiUrl}/repos/team/web/git/refs`, {
    method: 'POST',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ref: `refs/heads/${branch}`, sha: head }),
  });
}

async function statusOf(token: string, path: string): Promise<number> {
  return (await fetch(`${host.apiUrl}${path}`, { headers: { authorization: `token ${token}` } })).status;
}

describe('an installation token', () => {
  it('is minted read-only for contents, even if the installation may write', async () => {
    const refused = await createBranch(await tokenFor(['contents'], web.id), 'from-reader');
    expect([refused.status, refused.headers.get('x-accepted-github-permissions')]).toEqual([403, 'contents=write']);

    const { token } = (await app.octokit.auth({ type: 'installation', installationId: 900 })) as { token: string };
    expect((await createBranch(token, 'from-writer')).status).toBe(201);
  });

  it('sees only the repository it was minted for', async () => {
    const token = await tokenFor(['contents'], web.id);
    expect(await statusOf(token, '/repos/team/web')).toBe(200);
    expect(await statusOf(token, '/repos/team/other')).toBe(404);
  });

  it('cannot read private files outside the installation', async () => {
    const read = async (token: string): Promise<unknown> => {
      const query = '{ repository(owner: "team", name: "web") { object(expression: "HEAD:.github") { id } } }';
      const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
      return (await fetch(host.graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
    };
    expect(await read(await tokenFor(['contents'], web.id))).not.toHaveProperty('errors');
    expect(await read(await tokenFor(['contents'], 999_999))).toHaveProperty('errors');
  });

  it('is never able to write', async () => {
    const { apiUrl, graphqlUrl, webUrl } = host;
    const codeHost = createCodeHostApp({ apiUrl, graphqlUrl, webUrl, app: { ...host.app, id: String(host.app.id) } });
    const place = { scmId: String(web.id), fullName: 'team/web' };
    await host.log();
    await codeHost.listRepositories('900');
    await codeHost.readRepository('900', place);
    await codeHost.readSettings('900', place);
    await codeHost.readTexts('900', { ...place, commit: head }, ['README.md']);
    await codeHost.isOrganizationAdmin('900', 'team', '1');
    const tokens = (await host.log()).flatMap(({ token }) => token ?? []);
    expect(tokens.flatMap(({ permissions }) => Object.values(permissions))).not.toContain('write');
    expect([...new Set(tokens.map((token) => JSON.stringify(token)))].sort()).toEqual(
      [
        { permissions: { metadata: 'read' }, repositoryIds: null },
        { permissions: { metadata: 'read', contents: 'read' }, repositoryIds: [web.id] },
        {
          permissions: { metadata: 'read', contents: 'read', actions: 'read', administration: 'read' },
          repositoryIds: [web.id],
        },
        { permissions: { metadata: 'read', members: 'read' }, repositoryIds: null },
      ]
        .map((token) => JSON.stringify(token))
        .sort(),
    );
  });
});
