import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as identities from '#lib/db/queries/identities.ts';
import { authenticate, type User } from '#lib/http/route/access.ts';
import type { Account } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { createUserDb } from '../support/data-api.ts';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { quietPort } from '../support/quiet-port.ts';

const SITE = 'http://127.0.0.1:3999';

let database: TestDatabase;
let host: CodeHostForTests;
let alice: Account;

beforeAll(async () => {
  const port = await quietPort();
  host = await startCodeHost({ callbackUrls: [`http://127.0.0.1:${port}/auth/v1/callback`] });
  alice = host.world.addAccount({ login: 'alice', type: 'User', email: 'alice@example.com' });
  const { clientId, clientSecret } = host.app;
  database = await startDatabase({ port, siteUrl: SITE, codeHost: { webUrl: host.webUrl, clientId, clientSecret } });
});

afterAll(async () => {
  await Promise.all([host?.stop(), database?.stop()]);
});

function browserClient() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const auth = { flowType: 'pkce', storage, persistSession: true, autoRefreshToken: false } as const;
  return createClient(database.url, database.publishableKey, {
    auth: { ...auth, detectSessionInUrl: false },
    realtime: { transport: Object as never },
  });
}

async function follow(url: string): Promise<URL> {
  const { status, headers } = await fetch(url, { redirect: 'manual' });
  expect([302, 303]).toContain(status);
  return new URL(headers.get('location') ?? '', url);
}

async function choose(page: URL, login: string): Promise<URL> {
  expect(page.origin).toBe(host.webUrl);
  const html = await (await fetch(page)).text();
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const form = new URLSearchParams(
    fields.map(([, name = '', value = '']): [string, string] => [name, unescape(value)]),
  );
  form.set('login', login);
  const { headers } = await fetch(`${host.webUrl}/login/oauth/authorize`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  return new URL(headers.get('location') ?? '');
}

const unescape = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

async function signIn(login: string) {
  const client = browserClient();
  const { data } = await client.auth.signInWithOAuth({
    provider: 'github',
    options: { redirectTo: `${SITE}/auth/callback`, skipBrowserRedirect: true },
  });
  const back = await follow((await choose(await follow(data.url ?? ''), login)).href);
  return { client, back };
}

describe('a sign-in with an account of the code host', () => {
  it('returns a token that the service accepts, and an identity that no one can edit', async () => {
    const { client, back } = await signIn('alice');
    expect(`${back.origin}${back.pathname}`).toBe(`${SITE}/auth/callback`);
    const { data, error } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    const token = data.session?.access_token ?? '';
    const user: User = await authenticate(new Headers({ authorization: `Bearer ${token}` }), [database.jwtSecret]);
    expect(user).toMatchObject({ id: data.session?.user.id, email: 'alice@example.com' });

    const admin = createAdminDb(database);
    expect(await identities.listScmAccounts(admin, user.id)).toEqual([String(alice.id)]);
    expect((await client.auth.updateUser({ data: { provider_id: '1' } })).error?.status).toBe(403);
    await database.sql(`update auth.users set raw_user_meta_data = '{"provider_id": "1", "sub": "1"}' where id = $1`, [
      user.id,
    ]);
    expect(await identities.listScmAccounts(admin, user.id)).toEqual([String(alice.id)]);
    expect((await createUserDb(database, token).rpc('scm_identities', { p_user_id: user.id })).error).not.toBeNull();
  });

  it('returns no token if the person refuses', async () => {
    const { back } = await signIn('');
    expect(`${back.origin}${back.pathname}`).toBe(`${SITE}/auth/callback`);
    expect(back.searchParams.get('code')).toBeNull();
    expect(back.href).toMatch(/error/);
  });
});

describe('of Auth the database serves', () => {
  const key = () => ({ apikey: database.publishableKey });
  const secret = () => ({ apikey: database.secretKey, authorization: `Bearer ${database.secretKey}` });
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
    const body = JSON.stringify({ email: 'newbie@example.com', password: 'long enough, surely', token: '123456' });
    const sent = method === 'GET' ? {} : { body };
    const url = `${database.url}/auth/v1/${path}`;
    return fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
  };
  const people = async () =>
    (await database.sql('select email from auth.users order by email')).map(({ email }) => email);

  it.each([
    'GET settings',
    'GET health',
    `GET authorize?provider=github&redirect_to=${encodeURIComponent(`${SITE}/auth/callback`)}`,
  ])('%s', async (request) => {
    const [method = '', path = ''] = request.split(' ');
    const response = await fetch(`${database.url}/auth/v1/${path}`, { method, headers: key(), redirect: 'manual' });
    expect([200, 302]).toContain(response.status);
  });

  it('a session: its user, its renewal and its end', async () => {
    const { client, back } = await signIn('alice');
    const { data } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    expect((await client.auth.getUser()).data.user?.id).toBe(data.session?.user.id);
    const renewed = await client.auth.refreshSession();
    expect([renewed.error, renewed.data.user?.id]).toEqual([null, data.session?.user.id]);
    expect((await client.auth.signOut({ scope: 'local' })).error).toBeNull();
    const refresh_token = renewed.data.session?.refresh_token ?? '';
    const again = await fetch(`${database.url}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token }),
    });
    expect(again.status).toBe(400);
  });

  it.each([
    'POST signup',
    'POST otp',
    'POST magiclink',
    'POST recover',
    'POST verify',
    'GET verify?type=magiclink&token=123456',
    'POST resend',
    'POST invite',
    'GET reauthenticate',
    'GET admin/users',
    'POST admin/users',
    'POST admin/generate_link',
    'GET factors',
    'POST sso',
    'GET .well-known/jwks.json',
    'GET ',
    'POST token/',
    'POST /token?grant_type=pkce',
    'POST %74oken?grant_type=pkce',
    'POST x/../otp',
    'GET constructor',
  ])('nothing else, not even to the service: %s', async (request) => {
    const [method = '', path = ''] = request.split(' ');
    const before = await people();
    for (const headers of [{}, key(), secret()]) expect((await ask(method, path, headers)).status).toBe(404);
    expect(await people()).toEqual(before);
  });

  it.each([
    'token',
    'token?grant_type=password',
    'token?grant_type=id_token',
    'token?grant_type=web3',
    'token?grant_type=',
    'token?grant_type=pkce&grant_type=password',
    'token?grant_type=password&grant_type=pkce',
    'token?%67rant_type=password&grant_type=pkce',
  ])('no other grant: %s', async (path) => {
    for (const headers of [key(), secret()]) {
      const refused = await ask('POST', path, headers);
      expect([refused.status, await refused.json()]).toEqual([
        403,
        expect.objectContaining({ error_code: 'not_served' }),
      ]);
    }
  });

  it.each([
    'PUT user',
    'DELETE user',
    'POST settings',
    'GET logout',
    'POST callback',
    'POST authorize',
    'OPTIONS token',
  ])('no other method: %s', async (request) => {
    const [method = '', path = ''] = request.split(' ');
    expect((await ask(method, path, key())).status).toBe(403);
  });
});

describe('a sign-in leads back', () => {
  const begin = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${database.url}/auth/v1/authorize?provider=github${query}`, { redirect: 'manual', headers });
  const to = (target: string) => `&redirect_to=${encodeURIComponent(target)}`;

  it.each([SITE, `${SITE}/`, `${SITE}/auth/callback`, `${SITE}/setup?a=b#c`])('to the site: %s', async (target) => {
    expect((await begin(to(target))).status).toBe(302);
  });

  it.each([
    'http://127.0.0.1:39410/x',
    'http://127.0.0.1/auth/callback',
    `${SITE.replace('http:', 'https:')}/auth/callback`,
    `${SITE.replace('127.0.0.1', 'localhost')}/auth/callback`,
    `${SITE.replace('127.0.0.1', '127.0.0.2')}/auth/callback`,
    `${SITE.replace('127.0.0.1', '[::1]')}/auth/callback`,
    `${SITE.replace('//', '//me:pw@')}/auth/callback`,
    'https://evil.example/',
    `${SITE}@evil.example/`,
    `${SITE}.evil.example/`,
    'javascript:alert(1)',
    '/auth/callback',
    '',
  ])('nowhere else: %s', async (target) => {
    const refused = await begin(to(target));
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    expect((await begin(to(`${SITE}/`) + to(target))).status).toBe(400);
    expect((await begin(to(target) + to(`${SITE}/`))).status).toBe(400);
  });

  it('to the site when no page is named, whichever page began it', async () => {
    const started = await begin('', { referer: 'http://127.0.0.1:39410/x' });
    const back = await follow((await choose(new URL(started.headers.get('location') ?? ''), 'alice')).href);
    expect(back.origin).toBe(SITE);
  });
});

describe('a page of another origin', () => {
  it.each(['/auth/v1/token?grant_type=pkce', '/auth/v1/logout', '/rest/v1/repositories'])(
    'can send its token and read the response of %s, including refusals',
    async (path) => {
      const asked = await fetch(`${database.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: SITE,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'apikey,authorization,x-client-info',
        },
      });
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
      const refused = await fetch(`${database.url}${path}`, { method: 'POST', headers: { origin: SITE }, body: '{}' });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  it('learns nothing about unserved paths', async () => {
    const asked = await fetch(`${database.url}/studio`, {
      method: 'OPTIONS',
      headers: { origin: SITE, 'access-control-request-method': 'GET' },
    });
    expect(asked.status).toBe(404);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });
});
