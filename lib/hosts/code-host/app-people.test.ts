import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '#lib/errors.ts';
import type { Account } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import type { CodeHostApp } from './port.ts';

let host: CodeHostForTests;
let codeHost: CodeHostApp;
let team: Account;
const people: Record<string, Account> = {};

beforeAll(async () => {
  host = await startCodeHost();
  const { world } = host;
  team = world.addAccount({ login: 'team', type: 'Organization' });
  for (const login of ['admin', 'member', 'invited', 'stranger']) {
    people[login] = world.addAccount({ login, type: 'User', email: `${login}@example.com` });
  }
  const permissions = { metadata: 'read', members: 'read' };
  world.addMember(team, idOf('admin'), 'admin');
  world.addMember(team, idOf('member'), 'member');
  world.addMember(team, idOf('invited'), 'admin', 'pending');
  world.addInstallation({ id: 900, accountId: team.id, permissions });
  world.addInstallation({ id: 901, accountId: team.id, permissions: { metadata: 'read' } });
});
afterAll(() => host.stop());
beforeEach(async () => {
  codeHost = connect();
  await host.log();
});

function connect(app: { clientSecret?: string } = {}): CodeHostApp {
  const { apiUrl, graphqlUrl, webUrl } = host;
  return createCodeHostApp({ apiUrl, graphqlUrl, webUrl, app: { ...host.app, id: String(host.app.id), ...app } });
}

function idOf(login: string): Account {
  const account = people[login];
  if (account === undefined) throw new Error(`There is no ${login}.`);
  return account;
}

async function failureOf(read: Promise<unknown>): Promise<AppError> {
  const error: unknown = await read.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

async function paths(): Promise<string[]> {
  return (await host.log()).map(({ method, path }) => `${method} ${path.replace(/^\/api\/v3/, '')}`);
}

async function signIn(login: string): Promise<string> {
  const { clientId } = host.app;
  const body = new URLSearchParams({ client_id: clientId, redirect_uri: 'http://127.0.0.1:3000/x', login });
  const response = await fetch(`${host.webUrl}/login/oauth/authorize`, { method: 'POST', body, redirect: 'manual' });
  await host.log();
  return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
}

describe('administrator checks', () => {
  it('accept only an organization’s admin, identified by number', async () => {
    const ask = (login: string): Promise<boolean> =>
      codeHost.isOrganizationAdmin('900', 'TEAM', String(idOf(login).id));
    expect(await ask('admin')).toBe(true);
    expect((await paths()).slice(2)).toEqual([`GET /user/${idOf('admin').id}`, 'GET /orgs/TEAM/memberships/admin']);
    for (const login of ['member', 'invited', 'stranger']) expect(await ask(login)).toBe(false);
  });

  it('reject missing members, other accounts and invalid numbers', async () => {
    for (const id of ['1', String(team.id), '', 'admin', '0', `${idOf('admin').id}/../x`]) {
      expect(await codeHost.isOrganizationAdmin('900', 'team', id)).toBe(false);
    }
    expect(await codeHost.isOrganizationAdmin('900', 'other', String(idOf('admin').id))).toBe(false);
  });

  it('reject someone who took over the admin’s login', async () => {
    const before = idOf('admin');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ id: idOf('stranger').id, login: 'admin' });
    await host.fault({ match: 'GET /user/*', effect: { kind: 'status', status: 200, headers, body } });
    expect(await codeHost.isOrganizationAdmin('900', 'team', String(idOf('stranger').id))).toBe(false);
    expect(await codeHost.isOrganizationAdmin('900', 'team', String(before.id))).toBe(true);
  });

  it('fail without a request if the permission is missing', async () => {
    expect(await codeHost.isOrganizationAdmin('901', 'team', String(idOf('admin').id))).toBe(false);
    expect(await paths()).toEqual(['GET /app/installations/901']);
  });
});

describe('the person behind a sign-in code', () => {
  it.each([
    ['admin', 'team', true],
    ['admin', 'Team', true],
    ['admin', 'other', false],
    ['member', 'team', false],
    ['invited', 'team', false],
    ['stranger', 'team', false],
  ])('%s, checked for %s', async (login, organization, administers) => {
    const answer = await codeHost.readAuthorization(await signIn(login), organization);
    expect(answer).toEqual({ person: { id: String(idOf(login).id), login }, administers });
    expect(await paths()).toEqual([
      'POST /login/oauth/access_token',
      'GET /user',
      `GET /user/memberships/orgs/${organization}`,
    ]);
  });

  it('is checked for an organization only if one is given', async () => {
    const answer = await codeHost.readAuthorization(await signIn('admin'), null);
    expect(answer).toMatchObject({ administers: false });
    expect(await paths()).toEqual(['POST /login/oauth/access_token', 'GET /user']);
  });

  it('rejects a used, invented or malformed code', async () => {
    const code = await signIn('admin');
    expect(await codeHost.readAuthorization(code, null)).not.toBeNull();
    expect(await codeHost.readAuthorization(code, null)).toBeNull();
    expect(await codeHost.readAuthorization('0123456789abcdef0123', null)).toBeNull();
    await host.log();
    for (const wrong of ['', 'a b', '\n', 'x'.repeat(201)]) {
      expect(await codeHost.readAuthorization(wrong, null)).toBeNull();
    }
    expect(await paths()).toEqual([]);
  });

  it('stays unknown if the app is refused, without leaking code or secret', async () => {
    const code = await signIn('admin');
    const error = await failureOf(connect({ clientSecret: 'another-secret' }).readAuthorization(code, null));
    expect(error).toMatchObject({ code: 'scm-unreachable', message: 'The code host refused our credentials.' });
    const shown = inspect(error, { depth: 10 });
    expect(shown).not.toContain(code);
    expect(shown).not.toContain('another-secret');
  });

  it('is requested once, whatever happens to the code', async () => {
    const code = await signIn('admin');
    await host.fault({ match: 'POST /login/oauth/access_token', effect: { kind: 'status', status: 502 } });
    expect(await failureOf(codeHost.readAuthorization(code, null))).toMatchObject({ code: 'scm-unreachable' });
    expect(await paths()).toEqual(['POST /login/oauth/access_token']);
  });
});
