import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '#lib/errors.ts';
import type { Effect } from '#lib/simulator/faults.ts';
import type { Installation as HostInstallation } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import type { CodeHostApp, CodeHostAppOptions } from './port.ts';

const PERMISSIONS = { metadata: 'read', contents: 'read', administration: 'read', members: 'read' };
const FILES = { '.github/workflows/ci.yml': 'on: push\n', '.github/actions/a/action.yml': 'name: A\n' };
const WEB = 'team/web';

let host: CodeHostForTests;
let installation: HostInstallation;
let web: { scmId: string; fullName: string };
let codeHost: CodeHostApp;

beforeAll(async () => {
  host = await startCodeHost();
  const team = host.world.addAccount({ login: 'team', type: 'Organization' });
  const ada = host.world.addAccount({ login: 'ada', type: 'User' });
  installation = host.world.addInstallation({ id: 900, accountId: team.id, permissions: PERMISSIONS });
  host.world.addInstallation({ id: 901, accountId: ada.id, permissions: PERMISSIONS });
  const { id } = await host.addRepository({ fullName: WEB, visibility: 'private', files: FILES });
  web = { scmId: String(id), fullName: WEB };
});
afterAll(() => host.stop());
beforeEach(async () => {
  codeHost = connect();
  await host.log();
});

function optionsOf(app: Partial<CodeHostAppOptions['app']> = {}): CodeHostAppOptions {
  const { apiUrl, graphqlUrl, webUrl } = host;
  return { apiUrl, graphqlUrl, webUrl, app: { ...host.app, id: String(host.app.id), ...app } };
}

function connect(options: Partial<CodeHostAppOptions> = {}): CodeHostApp {
  return createCodeHostApp({ ...optionsOf(), ...options });
}

async function failureOf(read: Promise<unknown>): Promise<AppError> {
  const error: unknown = await read.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

async function paths(): Promise<string[]> {
  return (await host.log()).map(({ method, path }) => `${method} ${path.replace(/^\/api(?:\/v3)?/, '')}`);
}

const MINT = 'POST /app/installations/900/access_tokens';
const LIST = 'GET /installation/repositories';

describe('an installation', () => {
  it('is returned with its owner', async () => {
    const { accountId } = installation;
    const account = { account: 'team', accountId: String(accountId), accountType: 'Organization' };
    expect(await codeHost.findInstallation('900')).toEqual({ id: '900', ...account, suspended: false });
    expect(await codeHost.findInstallation('901')).toMatchObject({ account: 'ada', accountType: 'User' });
    host.world.updateInstallation(installation, { suspendedAt: '2026-10-01T00:00:00.000Z' });
    expect(await codeHost.findInstallation('900')).toMatchObject({ suspended: true });
    host.world.updateInstallation(installation, { suspendedAt: null });
    expect(new Set(await paths())).toEqual(new Set(['GET /app/installations/900', 'GET /app/installations/901']));
  });

  it.each(['1', '4200000', '999999999999999'])('is missing for the number %s', async (id) => {
    expect(await codeHost.findInstallation(id)).toBeNull();
  });

  it.each(['', '0', '-1', '1.5', '900/../901', '9e2', ' 900', '9'.repeat(16)])(
    'is not requested for the invalid number %j',
    async (id) => {
      expect(await codeHost.findInstallation(id)).toBeNull();
      expect(await failureOf(codeHost.listRepositories(id))).toMatchObject({ code: 'scm-unreachable' });
      expect(await paths()).toEqual([]);
    },
  );

  it('is ignored if it belongs to an enterprise; other unexpected answers are unreachable', async () => {
    const answer = (body: object): Promise<void> =>
      host.fault({
        match: 'GET /app/installations/900',
        effect: {
          kind: 'status',
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
      });
    await answer({ id: 900, account: { id: 1, slug: 'big' } });
    expect(await codeHost.findInstallation('900')).toBeNull();
    await answer({ id: 'x' });
    expect((await failureOf(codeHost.findInstallation('900'))).message).toContain('not understood');
  });
});

describe('the list of repositories', () => {
  it('costs a token and one request for a hundred, and reuses the token', async () => {
    const team = host.world.addAccount({ login: 'hundred', type: 'Organization' });
    host.world.addInstallation({ id: 910, accountId: team.id, permissions: PERMISSIONS });
    const list = Array.from({ length: 100 }, (_, index) => ({ fullName: `hundred/r${index}` }));
    const [first] = await host.addRepositories(list);
    const repositories = await codeHost.listRepositories('910');
    expect(repositories).toHaveLength(100);
    expect(repositories[0]).toEqual({
      scmId: String(first?.id),
      fullName: 'hundred/r0',
      private: false,
      htmlUrl: `${host.webUrl}/hundred/r0`,
      defaultBranch: 'main',
      archived: false,
    });
    expect(await paths()).toEqual(['POST /app/installations/910/access_tokens', LIST]);
    await codeHost.listRepositories('910');
    expect(await paths()).toEqual([LIST]);
  });

  it('costs a token and ten requests for a thousand, with each once and in order', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `thousand/r${index}`);
    const team = host.world.addAccount({ login: 'thousand', type: 'Organization' });
    host.world.addInstallation({ id: 911, accountId: team.id, permissions: PERMISSIONS });
    const began = performance.now();
    await host.addRepositories(names.map((fullName) => ({ fullName, files: { 'a.txt': fullName } })));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await codeHost.listRepositories('911')).map(({ fullName }) => fullName)).toEqual(names);
    expect(await paths()).toEqual(['POST /app/installations/911/access_tokens', ...Array(10).fill(LIST)]);
  });

  it('reads at most eight pages at a time', async () => {
    await host.fault({ match: LIST, skip: 1, times: 8, effect: { kind: 'hang' } });
    const reading = connect({ timeoutMs: 2_500 }).listRepositories('911');
    const ended = reading.catch(() => {});
    const asked: string[] = [];
    const count = async (): Promise<number> => asked.push(...(await paths()));
    await expect.poll(count, { timeout: 10_000 }).toBe(10);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await count()).toBe(10);
    await ended;
  });

  it('is read again if repositories move between pages', async () => {
    const team = host.world.addAccount({ login: 'moving', type: 'Organization' });
    host.world.addInstallation({ id: 912, accountId: team.id, permissions: PERMISSIONS });
    const list = Array.from({ length: 150 }, (_, index) => ({ fullName: `moving/r${index}` }));
    const [first, ...others] = await host.addRepositories(list);
    await host.fault({ match: LIST, skip: 1, effect: { kind: 'hang' } });
    const reading = connect({ timeoutMs: 2_000 }).listRepositories('912');
    const asked: string[] = [];
    await expect.poll(async () => asked.push(...(await paths())), { timeout: 10_000 }).toBe(3);
    if (first !== undefined) host.world.removeRepository(first);
    const names = new Set((await reading).map(({ fullName }) => fullName));
    expect(others.filter(({ name }) => !names.has(`moving/${name}`))).toEqual([]);
  });

  it('contains only the selected repositories, and none without access', async () => {
    const chosen = host.world.addInstallation({
      id: 913,
      accountId: installation.accountId,
      permissions: PERMISSIONS,
      repositoryIds: [],
    });
    expect(await codeHost.listRepositories('913')).toEqual([]);
    host.world.updateInstallation(chosen, { repositoryIds: [Number(web.scmId)] });
    expect(await codeHost.listRepositories('913')).toMatchObject([{ fullName: WEB, private: true }]);
    host.world.removeInstallation(chosen);
  });

  it('has a bounded number of pages', async () => {
    const body = JSON.stringify({ total_count: 10_000_000, repositories: [] });
    const headers = { 'content-type': 'application/json' };
    await host.fault({ match: LIST, effect: { kind: 'status', status: 200, headers, body } });
    expect((await failureOf(codeHost.listRepositories('900'))).message).toContain('not understood');
    expect(await paths()).toEqual([MINT, LIST]);
  });
});

describe('a token', () => {
  it('is minted once more per scope after a revocation, however many requests need it', async () => {
    const ask = () => [
      codeHost.readRepository('900', web),
      codeHost.listRepositories('900'),
      codeHost.readSettings('900', web),
    ];
    await Promise.all(ask());
    await paths();
    host.revokeTokens(900);
    await host.fault({ match: LIST, effect: { kind: 'drip', bytes: 4, pauseMs: 40 } });
    await Promise.all([...ask(), codeHost.listRepositories('900')]);
    const asked = await paths();
    expect(asked.filter((path) => path === MINT)).toHaveLength(3);
    expect(asked.filter((path) => path === LIST)).toHaveLength(4);
  });

  it('is retried once while it is not yet known everywhere, then refused', async () => {
    await host.fault({ match: LIST, times: 2, effect: { kind: 'status', status: 401 } });
    expect(await codeHost.listRepositories('900')).toHaveLength(1);
    expect(await paths()).toEqual([MINT, LIST, MINT, LIST, LIST]);
    await host.fault({ match: LIST, times: 3, effect: { kind: 'status', status: 401 } });
    expect((await failureOf(codeHost.listRepositories('900'))).message).toBe('The code host refused our credentials.');
  });

  it('is refused for a suspended installation, before and after minting', async () => {
    await codeHost.listRepositories('900');
    host.world.updateInstallation(installation, { suspendedAt: '2026-10-01T00:00:00.000Z' });
    const expected = { code: 'scm-unreachable', message: 'The installation is suspended at the code host.' };
    for (const each of [codeHost, connect()]) {
      expect(await failureOf(each.listRepositories('900'))).toMatchObject(expected);
      expect(await failureOf(each.readRepository('900', web))).toMatchObject(expected);
      expect(await failureOf(each.isOrganizationAdmin('900', 'team', '1'))).toMatchObject(expected);
      expect(await each.readSettings('900', web)).toEqual({ missing: 'offline' });
    }
    host.world.updateInstallation(installation, { suspendedAt: null });
    expect(await codeHost.listRepositories('900')).toHaveLength(1);
  });

  it('is unreachable for a removed installation', async () => {
    const gone = host.world.addInstallation({ id: 914, accountId: installation.accountId, permissions: PERMISSIONS });
    await codeHost.listRepositories('914');
    host.world.removeInstallation(gone);
    for (const each of [codeHost, connect()]) {
      expect(await failureOf(each.listRepositories('914'))).toMatchObject({
        code: 'scm-unreachable',
        message: 'The app is no longer installed there.',
      });
    }
  });

  it('is minted again after a missing permission was granted', async () => {
    const few = host.world.addInstallation({
      id: 915,
      accountId: installation.accountId,
      permissions: { metadata: 'read' },
    });
    const refused = { value: { workflowToken: { missing: 'no_permission' } } };
    expect(await codeHost.readSettings('915', web)).toMatchObject(refused);
    host.world.updateInstallation(few, { permissions: PERMISSIONS });
    expect(await codeHost.readSettings('915', web)).toMatchObject(refused);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
    const read = await codeHost.readSettings('915', web);
    clock.mockRestore();
    expect(read).toHaveProperty('value.workflowToken.value');
    host.world.removeInstallation(few);
  });
});

describe('the app’s own credentials', () => {
  it('are refused with another key, without leaking key or token', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const stranger = createCodeHostApp(optionsOf({ privateKey }));
    const error = await failureOf(stranger.listRepositories('900'));
    expect(error).toMatchObject({ code: 'scm-unreachable', message: 'The code host refused our credentials.' });
    expect(await failureOf(stranger.findInstallation('900'))).toMatchObject({ code: 'scm-unreachable' });
    const shown = inspect(error, { depth: 10 });
    expect(shown).not.toMatch(/PRIVATE|eyJ|ghs_|authorization/i);
    expect(shown).not.toContain(privateKey.slice(100, 140));
  });

  it('accept a key in both PEM formats, and nothing else', async () => {
    const pkcs1 = createPrivateKey(host.app.privateKey).export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(pkcs1).toContain('BEGIN RSA PRIVATE KEY');
    expect(await createCodeHostApp(optionsOf({ privateKey: pkcs1 })).listRepositories('900')).toHaveLength(1);
    for (const privateKey of ['', 'secret-text', pkcs1.slice(0, 200)]) {
      expect(() => createCodeHostApp(optionsOf({ privateKey }))).toThrow(
        new TypeError("The app's private key must be a private key in PEM form."),
      );
    }
  });

  it('are never sent over an unencrypted connection', () => {
    for (const name of ['apiUrl', 'graphqlUrl', 'webUrl'] as const) {
      expect(() => connect({ [name]: 'http://github.example.com/' })).toThrow(/https/);
    }
  });
});

describe('when the code host fails', () => {
  const GRAPHQL = 'POST /api/graphql';
  const ASKS: Record<string, { match: string; ask: (from: CodeHostApp) => Promise<unknown> }> = {
    'a list': { match: LIST, ask: (from) => from.listRepositories('900') },
    'a repository': { match: GRAPHQL, ask: (from) => from.readRepository('900', web) },
    'a known repository': { match: GRAPHQL, ask: (from) => from.readRepository('900', web, { tree: 'x' }) },
    'an installation': { match: 'GET /app/installations/900', ask: (from) => from.findInstallation('900') },
    'an admin': { match: 'GET /user/*', ask: (from) => from.isOrganizationAdmin('900', 'team', web.scmId) },
    'a token': { match: MINT, ask: (from) => from.listRepositories('900') },
  };
  const ask = (name: string, from = codeHost): Promise<unknown> => ASKS[name]?.ask(from) ?? Promise.reject(new Error());
  const fault = (name: string, effect: Effect, times = 1): Promise<void> =>
    host.fault({ match: ASKS[name]?.match ?? '', times, effect });
  const PASSING: [string, Effect][] = [
    ['502', { kind: 'status', status: 502 }],
    ['a cut connection', { kind: 'reset' }],
    ['a cut answer', { kind: 'reset', after: 'headers' }],
  ];
  const both = Object.keys(ASKS).flatMap((name) => PASSING.map((each): [string, string, Effect] => [name, ...each]));

  it.each(both)('%s is retried once after %s, then unreachable', async (name, _, effect) => {
    await fault(name, effect);
    await ask(name);
    await fault(name, effect, 2);
    const error = await failureOf(ask(name, connect()));
    expect(error).toMatchObject({ code: 'scm-unreachable' });
    expect(error.retryAfterSeconds).toBeUndefined();
    expect((await host.log()).filter((request) => request.fault !== undefined)).toHaveLength(3);
  });

  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  it.each<[string, Effect]>([
    ['a hang', { kind: 'hang' }],
    ['a drip', { kind: 'drip', bytes: 1, pauseMs: 100 }],
  ])('times out on %s, also on the retry', async (_, effect) => {
    await fault('a list', effect, 2);
    const collecting = setInterval(collectGarbage, 50);
    const error = await failureOf(ask('a list', connect({ timeoutMs: 1_000 }))).finally(() =>
      clearInterval(collecting),
    );
    expect(error.message).toBe('The code host took too long to answer. Try again later.');
    expect(await paths()).toEqual([MINT, LIST, LIST]);
  });

  const LIMITS: [string, Effect, number, number][] = [
    ['the hourly budget, 403', { kind: 'primary-limit', status: 403, resetSeconds: 90 }, 85, 91],
    ['the hourly budget, 429', { kind: 'primary-limit', status: 429, resetSeconds: 90 }, 85, 91],
    ['the pace, with a hint', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 7 }, 7, 7],
    ['the pace, 429 without a hint', { kind: 'secondary-limit', status: 429 }, 60, 60],
    ['the pace, 403 without a hint', { kind: 'secondary-limit', status: 403 }, 60, 60],
  ];
  const limited = Object.keys(ASKS).flatMap((name) =>
    LIMITS.map((each): [string, string, Effect, number, number] => [name, ...each]),
  );

  it.each(limited)('%s waits before the next request after %s', async (name, _, effect, least, most) => {
    await fault(name, effect);
    const error = await failureOf(ask(name));
    expect(error.code).toBe('scm-unreachable');
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(most);
    await host.log();
    expect((await failureOf(ask(name))).retryAfterSeconds).toBeGreaterThan(0);
    expect(await host.log()).toEqual([]);
  });

  it('counts a GraphQL limit with status 200', async () => {
    await fault('a repository', { kind: 'primary-limit', status: 200, resetSeconds: 90 });
    expect((await failureOf(ask('a repository'))).retryAfterSeconds).toBeGreaterThan(80);
  });

  it('applies limits per installation', async () => {
    await fault('a list', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 30 });
    await failureOf(codeHost.listRepositories('900'));
    expect(await codeHost.listRepositories('901')).toEqual([]);
    expect((await failureOf(codeHost.readRepository('900', web))).retryAfterSeconds).toBeGreaterThan(0);
  });

  it.each<[string, Effect]>([
    ['502', { kind: 'status', status: 502 }],
    ['a limit', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 5 }],
    ['no repository', { kind: 'partial', path: ['repository'], type: 'NOT_FOUND', message: 'x' }],
  ])('does not return part of a repository whose local actions fail with %s', async (name, effect) => {
    await host.fault({ match: GRAPHQL, skip: 1, effect });
    const reading = codeHost.readRepository('900', web);
    if (name === 'a limit') {
      expect(await failureOf(reading)).toMatchObject({ code: 'scm-unreachable', retryAfterSeconds: 5 });
    } else {
      expect(await reading).toMatchObject({ unchanged: false, snapshot: { unread: [], files: [{}, {}] } });
    }
  });

  it('follows no redirect', async () => {
    const effect: Effect = { kind: 'status', status: 302, headers: { location: `${host.webUrl}/elsewhere` } };
    await fault('a list', effect, 2);
    expect(await failureOf(ask('a list'))).toMatchObject({ code: 'scm-unreachable' });
    expect(await paths()).toEqual([MINT, LIST, LIST]);
  });

  it('refuses oversized responses without buffering them', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ total_count: 0, repositories: [], padding: 'x'.repeat(33 * 1024 * 1024) });
    await fault('a list', { kind: 'status', status: 200, headers, body });
    expect((await failureOf(ask('a list'))).message).toContain('too large to scan');
  });

  it('reports a refused connection as unreachable', async () => {
    const nowhere = connect({ apiUrl: 'http://127.0.0.1:9/api/v3', graphqlUrl: 'http://127.0.0.1:9/api/graphql' });
    expect(await failureOf(nowhere.findInstallation('900'))).toMatchObject({ code: 'scm-unreachable' });
    expect(await failureOf(nowhere.readRepository('900', web))).toMatchObject({ code: 'scm-unreachable' });
    expect(await nowhere.readSettings('900', web)).toEqual({ missing: 'offline' });
  });
});
