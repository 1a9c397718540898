import { createHash, createSign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import { GitRepository } from './git.ts';
import { startSimulator } from './server.ts';

let host: CodeHostForTests;

beforeAll(async () => {
  host = await startCodeHost({
    callbackUrls: ['https://scan.example.com/callback'],
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      const admin = world.addAccount({ login: 'ada', type: 'User', email: 'ada@example.com' });
      const member = world.addAccount({ login: 'max', type: 'User', email: 'max@example.com' });
      world.addAccount({ login: 'eve', type: 'User', email: 'eve@example.com' });
      world.addMember(team, admin, 'admin');
      world.addMember(team, member, 'member');
      const first = await world.addRepository({ fullName: 'team/web', files: { 'a.txt': 'a' } });
      await world.addRepository({ fullName: 'team/secret', visibility: 'private', formerNames: ['team/old'] });
      for (let index = 0; index < 3; index += 1) await world.addRepository({ fullName: `team/more-${index}` });
      const permissions = { metadata: 'read', contents: 'write', members: 'read' };
      world.addInstallation({ id: 900, accountId: team.id, permissions });
      world.addInstallation({ id: 901, accountId: team.id, permissions, repositoryIds: [first.id] });
      world.addInstallation({ id: 902, accountId: team.id, permissions, suspendedAt: '2026-10-01T00:00:00.000Z' });
    },
  });
});
afterAll(() => host.stop());

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, token?: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${host.apiUrl}${path}`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
}

function appToken(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = { alg: 'RS256', typ: 'JWT' },
): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iat: now - 30, exp: now + 500, iss: host.app.id, ...claims };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('sha256').update(text).sign(host.app.privateKey, 'base64url')}`;
}

async function installationToken(id: number, body?: unknown): Promise<string> {
  const { status, body: minted } = await call('POST', `/app/installations/${id}/access_tokens`, appToken(), body);
  expect(status).toBe(201);
  return String(minted['token']);
}

describe('a caller', () => {
  it('is the app only with a signed token of at most ten minutes', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await call('GET', '/app', appToken())).body).toMatchObject({ slug: host.app.slug });
    expect((await call('GET', '/app', appToken({ iss: host.app.clientId }))).status).toBe(200);
    const wrong = [
      appToken({ iss: 1 }),
      appToken({ exp: now + 900 }),
      appToken({ exp: now - 1 }),
      appToken({ iat: now + 300 }),
      appToken({}, { alg: 'none' }),
      appToken({}, { alg: 'HS256' }),
      `${appToken()}x`,
      'ghs_unknown',
    ];
    for (const token of wrong) expect((await call('GET', '/app', token)).status).toBe(401);
    expect((await call('GET', '/app', host.publicToken)).status).toBe(401);
  });

  it('gets an installation token limited to what was requested and granted', async () => {
    const all = await installationToken(900);
    expect(all).toMatch(/^ghs_4711_[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(all.length).toBeGreaterThan(500);
    expect((await call('GET', '/installation/repositories', all)).body).toMatchObject({ total_count: 5 });
    const few = await installationToken(901);
    expect((await call('GET', '/installation/repositories', few)).body).toMatchObject({ total_count: 1 });
    const narrow = await installationToken(900, { permissions: { contents: 'read' } });
    const refused = await call('GET', '/orgs/team/memberships/ada', narrow);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('members=read');
    expect((await call('GET', '/orgs/team/memberships/ada', all)).body).toMatchObject({ role: 'admin' });
    const mint = (id: number, body: unknown): Promise<Reply> =>
      call('POST', `/app/installations/${id}/access_tokens`, appToken(), body);
    expect((await mint(900, { permissions: { administration: 'write' } })).status).toBe(422);
    expect((await mint(901, { repository_ids: [1] })).status).toBe(422);
    expect((await mint(902, {})).status).toBe(403);
    expect((await mint(1, {})).status).toBe(404);
  });

  it('sees an installation as a user only through the app and as one of its people', async () => {
    const seen = await call('GET', '/user/installations', host.tokenOf('max'));
    expect(seen.body).toMatchObject({ total_count: 3 });
    expect((await call('GET', '/user/installations', host.tokenOf('eve'))).body).toMatchObject({ total_count: 0 });
    expect((await call('GET', '/user/installations', host.tokenOf('max', { throughApp: false }))).status).toBe(403);
    expect((await call('GET', '/user/installations/900/repositories', host.tokenOf('eve'))).status).toBe(404);
    expect((await call('GET', '/user/memberships/orgs/team', host.tokenOf('max'))).body).toMatchObject({
      role: 'member',
    });
    expect((await call('GET', '/user/memberships/orgs/team', host.tokenOf('eve'))).status).toBe(404);
  });

  it('follows the links of paged lists', async () => {
    const token = host.tokenOf('ada');
    const first = await call('GET', '/user/installations/900/repositories?per_page=2', token);
    expect(first.body['repositories']).toHaveLength(2);
    const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await call('GET', String(next).slice(host.apiUrl.length), token);
    expect(second.body['repositories']).toHaveLength(2);
    expect(
      (await call('GET', '/user/installations/900/repositories?per_page=2&page=3', token)).headers.get('link'),
    ).not.toContain('next');
  });

  it('cannot detect a private repository', async () => {
    const missing = await call('GET', '/repos/team/nothing', host.publicToken);
    expect((await call('GET', '/repos/team/secret', host.publicToken)).body).toEqual(missing.body);
    expect((await call('GET', '/repos/team/old', host.publicToken)).status).toBe(404);
    const moved = await call('GET', '/repos/team/old', host.tokenOf('ada'));
    expect(moved.status).toBe(301);
    const target = moved.headers.get('location')?.slice(host.apiUrl.length) ?? '';
    expect((await call('GET', target, host.tokenOf('ada'))).body).toMatchObject({ full_name: 'team/secret' });
  });
});

describe('signing in', () => {
  const callback = 'http://127.0.0.1:3000/auth/callback?next=/x';
  const verifier = 'a-verifier-of-some-forty-three-characters-or-more';
  const challenge = createHash('sha256').update(verifier).digest('base64url');

  async function choose(login: string, extra: Record<string, string> = {}): Promise<Response> {
    const parameters = {
      client_id: host.app.clientId,
      redirect_uri: callback,
      state: 's&1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...extra,
    };
    const shown = await fetch(`${host.webUrl}/login/oauth/authorize?${new URLSearchParams(parameters).toString()}`);
    if (shown.status !== 200) return shown;
    expect(await shown.text()).toContain('value="ada"');
    const body = new URLSearchParams({ ...parameters, login });
    return fetch(`${host.webUrl}/login/oauth/authorize`, { method: 'POST', body, redirect: 'manual' });
  }

  async function exchange(body: Record<string, string>): Promise<Record<string, unknown>> {
    const full = { client_id: host.app.clientId, client_secret: host.app.clientSecret, ...body };
    const response = await fetch(`${host.webUrl}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(full),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  }

  it('returns a single-use code to whoever started', async () => {
    const target = new URL((await choose('ada')).headers.get('location') ?? '');
    expect(target.searchParams.get('state')).toBe('s&1');
    expect(target.searchParams.get('next')).toBe('/x');
    const code = target.searchParams.get('code') ?? '';
    expect(await exchange({ code, client_secret: 'wrong' })).toMatchObject({ error: 'incorrect_client_credentials' });
    const answer = await exchange({ code, code_verifier: verifier });
    expect(answer).toMatchObject({ token_type: 'bearer' });
    const token = String(answer['access_token']);
    expect((await call('GET', '/user', token)).body).toMatchObject({ login: 'ada', type: 'User' });
    expect((await call('GET', '/user/emails', token)).body).toMatchObject([
      { email: 'ada@example.com', verified: true },
    ]);
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({ error: 'bad_verification_code' });
  });

  it('fails without the verifier of the challenge', async () => {
    const target = new URL((await choose('max')).headers.get('location') ?? '');
    const code = target.searchParams.get('code') ?? '';
    expect(await exchange({ code, code_verifier: 'another' })).toMatchObject({ error: 'bad_verification_code' });
  });

  it('can be refused, and redirects only to known addresses', async () => {
    expect((await choose('')).headers.get('location')).toContain('error=access_denied');
    expect((await choose('team')).headers.get('location')).toContain('error=access_denied');
    expect((await choose('ada', { redirect_uri: 'https://evil.example.com/' })).status).toBe(404);
    expect((await choose('ada', { redirect_uri: 'http://127.0.0.1@evil.example.com/' })).status).toBe(404);
    expect((await choose('ada', { client_id: 'other' })).status).toBe(404);
    expect((await choose('ada', { redirect_uri: 'https://scan.example.com/callback' })).status).toBe(302);
    const script = await fetch(
      `${host.webUrl}/login/oauth/authorize?${new URLSearchParams({
        client_id: host.app.clientId,
        redirect_uri: callback,
        state: '"><script>',
      }).toString()}`,
    );
    expect(await script.text()).not.toContain('<script>');
  });
});

describe('what GitHub lacks or the simulator does not support is reported', () => {
  const query = async (text: string, variables: unknown = {}): Promise<Reply> => {
    const response = await fetch(host.graphqlUrl, {
      method: 'POST',
      headers: { authorization: `token ${host.publicToken}` },
      body: JSON.stringify({ query: text, variables }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
  };

  it.each<[string, () => Promise<Reply>, number, RegExp]>([
    ['a route', () => call('GET', '/nowhere', host.publicToken), 404, /unknown route: GET \/nowhere/],
    ['a method', () => call('POST', '/user', host.publicToken, {}), 404, /unknown route: POST \/user/],
    ['a query parameter', () => call('GET', '/user/installations?perpage=1', host.tokenOf('ada')), 422, /perpage/],
    [
      'a field of a body',
      () => call('POST', '/app/installations/900/access_tokens', appToken(), { permissions: 1 }),
      422,
      /permissions must be/,
    ],
    ['a field', () => query('{ repository(owner: "team", name: "web") { starCount } }'), 200, /starCount/],
    [
      'a field nobody simulates',
      () => query('{ repository(owner: "team", name: "web") { forkCount } }'),
      500,
      /not simulated: Repository.forkCount/,
    ],
    ['half a query', () => query('{ repository('), 200, /refused query/],
  ])('%s', async (_, send, status, violation) => {
    expect((await send()).status).toBe(status);
    expect(host.takeViolations().join('\n')).toMatch(violation);
  });

  it('a query without a token', async () => {
    const response = await fetch(host.graphqlUrl, { method: 'POST', body: '{"query":"{ viewer { login } }"}' });
    expect(response.status).toBe(401);
  });

  it('a missing repository leaves the rest of a query intact', async () => {
    const text = `query Two($a: String!) {
      good: repository(owner: "TEAM", name: "Web") { nameWithOwner }
      bad: repository(owner: "team", name: $a) { nameWithOwner }
    }`;
    const { body } = await query(text, { a: 'secret' });
    expect(body['data']).toEqual({ good: { nameWithOwner: 'team/web' }, bad: null });
    expect(body['errors']).toMatchObject([{ type: 'NOT_FOUND', path: ['bad'] }]);
  });
});

describe('other sites', () => {
  it('can reach the controls neither directly nor under another name', async () => {
    const faults = `${host.webUrl}/_sim/faults`;
    const effect = { match: 'GET /user', effect: { kind: 'hang' } };
    const origin = { origin: 'https://evil.example.com' };
    expect((await fetch(faults, { method: 'POST', headers: origin, body: JSON.stringify(effect) })).status).toBe(403);
    const { port } = new URL(host.webUrl);
    const status = await new Promise((resolve, reject) => {
      httpRequest({ port, path: '/api/v3/rate_limit', headers: { host: 'evil.example.com' } }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(421);
    expect(await (await fetch(`${host.webUrl}/_sim/health`)).json()).toEqual({ status: 'ok', repositories: 5 });
  });
});

describe('git', () => {
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'chainbreak-git-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
    return made;
  }

  it('answers concurrent requests correctly', async () => {
    const git = await GitRepository.create(join(folder(), 'a.git'), 'main');
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}`, `${index}-`.repeat(index * 5_000)]),
    );
    await git.commit('main', {
      files,
      message: 'Many',
      author: { name: 'A', email: 'a@example.com', date: new Date(0) },
    });
    const read = await Promise.all(
      Object.keys(files).flatMap((name) => [git.object(`HEAD:${name}`), git.object(`HEAD:no-${name}`)]),
    );
    expect(read.filter((_, index) => index % 2 === 0).map((found) => found?.content.toString())).toEqual(
      Object.values(files),
    );
    expect(read.filter((_, index) => index % 2 === 1).every((found) => found === undefined)).toBe(true);
    expect(await git.object('HEAD:f1\nHEAD:f2')).toBeUndefined();
    git.close();
  });

  it('survives a restart like everything else; the seed runs once', async () => {
    const dataFolder = folder();
    let seeded = 0;
    const options = {
      port: 0,
      dataFolder,
      app: host.app,
      publicToken: 'ghp_x',
      async seed(world: CodeHostForTests['world']) {
        seeded += 1;
        await world.addRepository({ fullName: 'team/web', files: { 'a.txt': 'first' } });
      },
    };
    const first = await startSimulator(options);
    const { id } = first.world.repositories[0] ?? { id: 0 };
    await first.stop();
    const second = await startSimulator(options);
    const found = second.world.repository('team/web');
    expect(found?.id).toBe(id);
    expect(found === undefined ? '' : String((await second.world.git(found).object('HEAD:a.txt'))?.content)).toBe(
      'first',
    );
    expect(seeded).toBe(1);
    await second.stop();
    writeFileSync(
      join(dataFolder, 'state.json'),
      readFileSync(join(dataFolder, 'state.json'), 'utf8').replace('"seeded": true', '"seeded": false'),
    );
    const third = await startSimulator(options);
    expect([seeded, third.world.repositories.length]).toEqual([2, 1]);
    await third.stop();
    expect(existsSync(join(dataFolder, 'state.json.new'))).toBe(false);
    expect(readFileSync(join(dataFolder, 'state.json'), 'utf8')).not.toContain('ghp_x');
  });
});
