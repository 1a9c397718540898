import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER_LIMIT } from '#lib/http/limits/user-limit.ts';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import type { RouteAnswer } from '../../support/call-route.ts';
import { type OperationName, startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({
    SCM_APP_ID: '1',
    SCM_APP_SLUG: 'app',
    SCM_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\\nnone\\n-----END PRIVATE KEY-----',
    SCM_CLIENT_ID: 'client',
    SCM_CLIENT_SECRET: 'secret-of-the-client',
  });
});

afterAll(() => service?.stop());

const CALLS = OPERATIONS.filter(({ access }) => access === 'user').map(({ verb, path, body }) => {
  const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']));
  const call = { params, query: '?org=x', ...(body === undefined ? {} : { body: { wrong: true } }) };
  return { name: `${verb} ${path}` as OperationName, call, hasBody: body !== undefined };
});
const CALLS_WITH_BODY = CALLS.filter(({ hasBody }) => hasBody);

const codeOf = ({ status, json }: RouteAnswer) => [status, json['code']];

describe('identity is checked before the shape of the request', () => {
  it.each(CALLS)('$name: 401', async ({ name, call }) => {
    const answer = await service.call(name, call);
    expect([...codeOf(answer), answer.headers.get('www-authenticate')]).toEqual([401, 'unauthenticated', 'Bearer']);
  });
});

describe('type and size of a body are checked before identity', () => {
  it.each(CALLS_WITH_BODY)('$name: 415, 413', async ({ name, call }) => {
    const text = await service.call(name, { ...call, headers: { 'content-type': 'text/plain' } });
    expect(codeOf(text)).toEqual([415, 'unsupported-media-type']);
    const large = await service.call(name, { ...call, headers: { 'content-length': String(2 ** 21) } });
    expect(codeOf(large)).toEqual([413, 'payload-too-large']);
  });
});

describe('a request is counted before its shape is checked', () => {
  let spent: TestUser;

  beforeAll(async () => {
    spent = service.user();
    for (let count = 0; count < USER_LIMIT; count += 1) await service.call('GET /api/capabilities', { as: spent });
  });

  it.each(CALLS)('$name: 429', async ({ name, call }) => {
    const answer = await service.call(name, { ...call, as: spent });
    expect(codeOf(answer)).toEqual([429, 'rate-limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

describe('the shape is checked before the resource, also for strangers', () => {
  it.each(CALLS_WITH_BODY)('$name: 400', async ({ name, call }) => {
    expect(codeOf(await service.call(name, { ...call, as: service.user() }))).toEqual([400, 'validation-failed']);
  });
});

describe('shape, then permission, then state', () => {
  it('400 before 403: a member with an invalid body', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const params = { org_id: await createTeam(service, alice, bob), user_id: alice.id };
    const put = (body: unknown) =>
      service.call('PUT /api/orgs/{org_id}/members/{user_id}/role', { as: bob, params, body });
    expect([codeOf(await put({ role: 'x' })), codeOf(await put({ role: 'member' }))]).toEqual([
      [400, 'validation-failed'],
      [403, 'forbidden'],
    ]);
  });

  it('403 and 404 before 409: without permission the state stays hidden', async () => {
    const [alice, bob, eve] = [service.user(), service.user(), service.user()];
    const params = { org_id: await createTeam(service, alice, bob) };
    const invite = (as: typeof alice, org = params) =>
      service.call('POST /api/orgs/{org_id}/invites', {
        as,
        params: org,
        body: { email: alice.email, role: 'member' },
      });
    const personal = { org_id: await personalOrgOf(service, alice) };
    expect([
      codeOf(await invite(alice)),
      codeOf(await invite(bob)),
      codeOf(await invite(eve)),
      codeOf(await invite(eve, personal)),
    ]).toEqual([
      [409, 'already-member'],
      [403, 'forbidden'],
      [404, 'not-found'],
      [404, 'not-found'],
    ]);
  });

  it('400 before 403 and 404: an unknown rule for another user’s organization and repository', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const repo_id = await addRepository(service, team, alice);
    const body = { enabled: true };
    const setting = (rule_id: string) =>
      service.call('PUT /api/rule-settings/{rule_id}', { as: eve, params: { rule_id }, query: `?org=${team}`, body });
    const override = (rule_id: string) =>
      service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', {
        as: eve,
        params: { repo_id, rule_id },
        body,
      });
    expect([codeOf(await setting('no-such-rule')), codeOf(await setting('artipacked'))]).toEqual([
      [400, 'validation-failed'],
      [403, 'forbidden'],
    ]);
    expect([codeOf(await override('no-such-rule')), codeOf(await override('artipacked'))]).toEqual([
      [400, 'validation-failed'],
      [404, 'not-found'],
    ]);
  });

  it('403 before 404: an unknown repository in another organization', async () => {
    const team = await createTeam(service, service.user());
    const changes = [{ rule_id: 'artipacked', repository_id: randomUUID(), value: 'disabled' }];
    const call = { as: service.user(), query: `?org=${team}`, body: { changes } };
    expect(codeOf(await service.call('PUT /api/rule-overrides:batch', call))).toEqual([403, 'forbidden']);
  });
});
