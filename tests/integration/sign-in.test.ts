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
  it('ends with a token that the service takes, and an identity that nobody may edit', async () => {
    const { client, back } = await signIn('alice');
    expect(`${back.origin}${back.pathname}`).toBe(`${SITE}/auth/callback`);
    const { data, error } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    const token = data.session?.access_token ?? '';
    const user: User = await authenticate(new Headers({ authorization: `Bearer ${token}` }), database.jwtSecret);
    expect(user).toMatchObject({ id: data.session?.user.id, email: 'alice@example.com' });

    const admin = createAdminDb(database);
    expect(await identities.listScmAccounts(admin, user.id)).toEqual([String(alice.id)]);
    await client.auth.updateUser({ data: { provider_id: '1', sub: '1', user_name: 'root' } });
    expect(await identities.listScmAccounts(admin, user.id)).toEqual([String(alice.id)]);
    expect((await createUserDb(database, token).rpc('scm_identities', { p_user_id: user.id })).error).not.toBeNull();
  });

  it('ends without one when the person refuses', async () => {
    const { back } = await signIn('');
    expect(`${back.origin}${back.pathname}`).toBe(`${SITE}/auth/callback`);
    expect(back.searchParams.get('code')).toBeNull();
    expect(back.href).toMatch(/error/);
  });
});

describe('a page of another origin', () => {
  it.each(['/auth/v1/token?grant_type=pkce', '/auth/v1/logout', '/rest/v1/repositories'])(
    'may send its token and read the answer of %s, refusals too',
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
      // Authentication is by token: browsers must not send cookies.
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  it('learns nothing about what is not served', async () => {
    const asked = await fetch(`${database.url}/studio`, {
      method: 'OPTIONS',
      headers: { origin: SITE, 'access-control-request-method': 'GET' },
    });
    expect(asked.status).toBe(404);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });
});
