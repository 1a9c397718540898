import { createSign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { schemas } from '@octokit/openapi-webhooks';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import type { Installation } from './model.ts';

const SETUP = 'https://service.example.com/setup?from=host';
const CI = '.github/workflows/ci.yml';

interface Event {
  readonly event: string | undefined;
  readonly guid: string | undefined;
  readonly payload: Record<string, unknown>;
}

const received: Event[] = [];
let receiver: Server;
let host: CodeHostForTests;
let installation: Installation;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'x-github-event': event, 'x-github-delivery': guid } = request.headers;
      const payload = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
      received.push({ event: String(event), guid: String(guid), payload });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  host = await startCodeHost({
    webhookUrl: `http://127.0.0.1:${port}/hook`,
    setup: { url: SETUP, withCode: true },
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      world.addAccount({ login: 'new-team', type: 'Organization' });
      const ada = world.addAccount({ login: 'ada', type: 'User', name: 'Ada <b>' });
      const max = world.addAccount({ login: 'max', type: 'User' });
      world.addMember(team, ada, 'admin');
      world.addMember(team, max, 'member');
      const newTeam = world.account('new-team');
      if (newTeam !== undefined) world.addMember(newTeam, ada, 'admin');
      await world.addRepositories([
        {
          fullName: 'team/web',
          visibility: 'private',
          files: { [CI]: 'on: push\n', 'README.md': '#', LICENSE: 'free' },
        },
        { fullName: 'team/open', files: { [CI]: 'on: push\n' } },
        { fullName: 'new-team/app', files: { [CI]: 'on: push\n' } },
      ]);
    },
  });
  const accountId = host.world.account('team')?.id ?? 0;
  const permissions = { metadata: 'read', contents: 'read', administration: 'read' };
  installation = host.world.addInstallation({ id: 900, accountId, permissions });
});
afterAll(async () => {
  receiver.close();
  await host.stop();
});
beforeEach(() => {
  received.splice(0);
});

function appToken(): string {
  const now = Math.floor(Date.now() / 1000);
  const text = [{ alg: 'RS256' }, { iat: now - 30, exp: now + 500, iss: host.app.id }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('sha256').update(text).sign(host.app.privateKey, 'base64url')}`;
}

async function call(path: string, token: string, method = 'GET'): Promise<Response> {
  return fetch(`${host.apiUrl}${path}`, { method, headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
}

async function tokenFor(id = 900): Promise<string> {
  const response = await call(`/app/installations/${id}/access_tokens`, appToken(), 'POST');
  expect(response.status).toBe(201);
  return ((await response.json()) as { token: string }).token;
}

function checkEvent(schema: string, payload: unknown): void {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  ajv.addSchema({ $id: 'hooks', components: schemas['api.github.com']['components'] });
  const check = ajv.compile({ $ref: `hooks#/components/schemas/${schema}` });
  check(payload);
  expect(check.errors ?? []).toEqual([]);
}

describe('a token of an installation', () => {
  it('reads what its permissions allow, and reports a missing one', async () => {
    const settings = '/repos/team/web/actions/permissions/workflow';
    const query = async (token: string, name: string): Promise<unknown> => {
      const text = `{ repository(owner: "team", name: "${name}") { name object(expression: "HEAD:") { oid } } }`;
      const headers = { authorization: `token ${token}` };
      const response = await fetch(host.graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query: text }) });
      return response.json();
    };
    const full = await tokenFor();
    expect(await (await call(settings, full)).json()).toEqual({
      default_workflow_permissions: 'read',
      can_approve_pull_request_reviews: false,
    });
    expect(await query(full, 'web')).toMatchObject({
      data: { repository: { object: { oid: expect.any(String) as string } } },
    });
    host.world.updateInstallation(installation, { permissions: { metadata: 'read' } });
    const narrow = await tokenFor();
    const refused = await call(settings, narrow);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('administration=read');
    expect(await query(narrow, 'web')).toMatchObject({
      data: { repository: { name: 'web', object: null } },
      errors: [{ type: 'FORBIDDEN', path: ['repository', 'object'] }],
    });
    expect(await query(narrow, 'open')).not.toHaveProperty('errors');
    expect((await call('/repos/new-team/app/actions/permissions/workflow', full)).status).toBe(403);
    expect((await call(settings, full)).status).toBe(200);
    host.world.updateInstallation(installation, {
      permissions: { metadata: 'read', contents: 'read', administration: 'read' },
    });
  });

  it('is refused after revocation and while the installation is suspended', async () => {
    const token = await tokenFor();
    host.world.updateInstallation(installation, { suspendedAt: '2026-11-01T00:00:00.000Z' });
    for (const path of ['/installation/repositories', '/repos/team/open']) {
      const refused = await call(path, token);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ message: 'This installation has been suspended' });
    }
    host.world.updateInstallation(installation, { suspendedAt: null });
    expect((await call('/installation/repositories', token)).status).toBe(200);
    host.revokeTokens(900);
    expect((await call('/installation/repositories', token)).status).toBe(401);
    expect((await call('/installation/repositories', await tokenFor())).status).toBe(200);
  });

  it('finds a repository by its number, and its new name after a rename', async () => {
    const token = await tokenFor();
    const { world } = host;
    const repository = await host.addRepository({ fullName: 'team/before', visibility: 'private' });
    world.updateRepository(repository, { name: 'after' });
    const moved = await call('/repos/team/before/actions/permissions/workflow', token);
    expect(moved.status).toBe(301);
    const target = String(moved.headers.get('location')).slice(host.apiUrl.length);
    expect(target).toBe(`/repositories/${repository.id}/actions/permissions/workflow`);
    expect((await call(target, token)).status).toBe(200);
    expect(await (await call(`/repositories/${repository.id}`, token)).json()).toMatchObject({
      full_name: 'team/after',
    });
    expect((await call('/repositories/1', token)).status).toBe(404);
    expect((await call(`/repositories/${repository.id}`, host.publicToken)).status).toBe(404);
  });

  it('lets the app find the installation of a repository', async () => {
    const found = await call('/repos/team/web/installation', appToken());
    expect(await found.json()).toMatchObject({ id: 900, account: { login: 'team' } });
    expect((await call('/repos/new-team/app/installation', appToken())).status).toBe(404);
    expect((await call('/repos/team/web/installation', await tokenFor())).status).toBe(401);
  });

  it('finds a person by number', async () => {
    const token = await tokenFor();
    const { id } = host.world.account('ada') ?? { id: 0 };
    expect(await (await call(`/user/${id}`, token)).json()).toMatchObject({ login: 'ada', id });
    expect((await call('/user/1', token)).status).toBe(404);
  });
});

describe('installing the app', () => {
  const page = (): string => `${host.webUrl}/apps/${host.app.slug}/installations/new`;
  const install = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(page(), { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });

  it('is offered to users and to administrators of an account', async () => {
    const text = await (await fetch(`${page()}?state=${encodeURIComponent('"><script>')}`)).text();
    for (const choice of ['ada/team', 'ada/new-team', 'ada/ada', 'max/max'])
      expect(text).toContain(`value="${choice}"`);
    expect(text).not.toContain('max/team');
    expect(text).not.toMatch(/<script>|<b>/);
  });

  it('redirects to the service with the new number, a code and the state, and sends an event', async () => {
    const response = await install({ choice: 'ada/new-team', state: 's&1' });
    expect(response.status).toBe(302);
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.origin + target.pathname).toBe('https://service.example.com/setup');
    const { from, installation_id: id, setup_action, state, code } = Object.fromEntries(target.searchParams);
    expect({ from, setup_action, state }).toEqual({ from: 'host', setup_action: 'install', state: 's&1' });
    await expect.poll(() => received).toHaveLength(1);
    const [{ event, payload }] = received as [Event];
    expect(event).toBe('installation');
    expect(payload).toMatchObject({
      action: 'created',
      installation: { id: Number(id), account: { login: 'new-team' } },
      repositories: [{ full_name: 'new-team/app' }],
      sender: { login: 'ada' },
    });
    checkEvent('webhook-installation-created', payload);
    const { clientId: client_id, clientSecret: client_secret } = host.app;
    const body = new URLSearchParams({ client_id, client_secret, code: code ?? '' });
    const headers = { accept: 'application/json' };
    const answer = (await (
      await fetch(`${host.webUrl}/login/oauth/access_token`, { method: 'POST', body, headers })
    ).json()) as { access_token: string };
    expect(await (await call('/user', answer.access_token)).json()).toMatchObject({ login: 'ada' });
    expect(await (await call('/installation/repositories', await tokenFor(Number(id)))).json()).toMatchObject({
      total_count: 1,
    });
    const again = new URL((await install({ choice: 'ada/new-team' })).headers.get('location') ?? '');
    expect(again.searchParams.get('installation_id')).toBe(id);
    expect(again.searchParams.get('setup_action')).toBe('update');
    expect(again.searchParams.has('state')).toBe(false);
    expect(received).toHaveLength(1);
  });

  it('is refused to others, and from other sites', async () => {
    const before = host.world.installations.length;
    for (const choice of ['max/team', 'ada/max', 'nobody/team', 'ada', '', 'team/team']) {
      expect((await install({ choice })).status).toBe(404);
    }
    expect((await install({ choice: 'max/max' }, { origin: 'https://evil.example.com' })).status).toBe(404);
    expect(host.takeViolations().join()).toContain('POST /apps/');
    expect(host.world.installations.length).toBe(before);
    expect((await install({ choice: 'max/max' }, { origin: host.webUrl })).status).toBe(302);
    await expect.poll(() => received).toHaveLength(1);
  });
});

describe('a push from outside', () => {
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${host.webUrl}/_sim/push`, { method: 'POST', body: JSON.stringify(body), headers });

  it('changes the given files and notifies the service', async () => {
    const response = await send({
      repository: 'team/web',
      files: { [CI]: 'on: pull_request\n', 'README.md': null },
      message: 'Test pull requests',
      actor: 'max',
    });
    expect(response.status).toBe(201);
    const answer = (await response.json()) as { before: string; after: string; deliveries: object[] };
    expect(answer).toMatchObject({ deliveries: [{ event: 'push', statusCode: 202, installationId: 900 }] });
    expect(received).toMatchObject([
      {
        event: 'push',
        payload: {
          ref: 'refs/heads/main',
          before: answer.before,
          after: answer.after,
          head_commit: { message: 'Test pull requests', removed: ['README.md'], modified: [CI] },
          sender: { login: 'max' },
        },
      },
    ]);
    const repository = host.world.repository('team/web');
    if (repository === undefined) throw new Error('gone');
    const git = host.world.git(repository);
    expect(String((await git.object(`HEAD:${CI}`))?.content)).toBe('on: pull_request\n');
    expect(await git.object('HEAD:README.md')).toBeUndefined();
    expect(await git.object('HEAD:LICENSE')).toBeDefined();
    const branch = await send({ repository: 'TEAM/web', files: { x: 'x' }, branch: 'feature/x' });
    expect(branch.status).toBe(201);
    expect(received.at(-1)?.payload).toMatchObject({ ref: 'refs/heads/feature/x', created: true });
  });

  it.each<[string, unknown, number]>([
    ['no object', [], 400],
    ['no files', { repository: 'team/web' }, 400],
    ['empty files', { repository: 'team/web', files: {} }, 400],
    ['a list of files', { repository: 'team/web', files: ['a'] }, 400],
    ['a number as a file', { repository: 'team/web', files: { a: 1 } }, 400],
    ['an unknown field', { repository: 'team/web', files: { a: 'a' }, force: true }, 400],
    ['a path outside', { repository: 'team/web', files: { '../a': 'a' } }, 400],
    ['a path in .git', { repository: 'team/web', files: { '.git/config': 'a' } }, 400],
    ['a branch that is none', { repository: 'team/web', files: { a: 'a' }, branch: 'a b' }, 400],
    ['an unknown repository', { repository: 'team/none', files: { a: 'a' } }, 404],
    ['an unknown actor', { repository: 'team/web', files: { a: 'a' }, actor: 'none' }, 404],
  ])('is refused with %s', async (_, body, status) => {
    expect((await send(body)).status).toBe(status);
    expect(received).toEqual([]);
  });

  it('is refused from another site', async () => {
    const body = { repository: 'team/web', files: { a: 'a' } };
    expect((await send(body, { origin: 'https://evil.example.com' })).status).toBe(403);
    expect(received).toEqual([]);
  });
});

describe('events', () => {
  const file = (content: string) => ({ files: { [CI]: content }, hold: true });

  it('that are held arrive in any order and number', async () => {
    const first = await host.push('team/web', file('on: push # 1\n'));
    const second = await host.push('team/open', file('on: push # 2\n'));
    expect([...first.held, ...second.held]).toHaveLength(2);
    expect([...first.deliveries, ...second.deliveries, ...received]).toEqual([]);
    const [one = '', two = ''] = [...first.held, ...second.held];
    await host.deliver(two);
    await host.deliver(one);
    await host.deliver(two);
    expect(received.map(({ guid }) => guid)).toEqual([two, one, two]);
    expect(received[2]).toEqual(received[0]);
    expect(host.deliveries.slice(-3).map(({ redelivery }) => redelivery)).toEqual([false, false, true]);
    await Promise.all([host.deliver(one), host.deliver(one)]);
    expect(received.slice(3).map(({ guid }) => guid)).toEqual([one, one]);
    expect(() => host.deliver('unknown')).toThrow('There is no event');
  });

  it('of one push go to each installation that sees the repository', async () => {
    const { accountId, permissions } = installation;
    const other = host.world.addInstallation({ id: 950, accountId, permissions });
    const { deliveries } = await host.push('team/web', { files: { [CI]: 'on: push # 3\n' } });
    expect(deliveries.map(({ installationId }) => installationId)).toEqual([900, 950]);
    expect(new Set(deliveries.map(({ guid }) => guid)).size).toBe(2);
    host.world.removeInstallation(other);
  });
});
