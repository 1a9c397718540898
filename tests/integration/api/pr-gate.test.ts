import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const DEFAULT = { fail_on: 'high', new_only: true };
const NEVER = { fail_on: 'never', new_only: false };

const get = (as: TestUser, org_id: string) =>
  service.call('GET /api/orgs/{org_id}/pr-gate', { as, params: { org_id } });
const put = (as: TestUser, org_id: string, body: unknown = NEVER) =>
  service.call('PUT /api/orgs/{org_id}/pr-gate', { as, params: { org_id }, body });

describe('GET /api/orgs/{org_id}/pr-gate', () => {
  it('returns the default until it is set, to every member: 200', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    for (const user of [alice, bob]) {
      const { status, json } = await get(user, team);
      expect([status, json]).toEqual([200, DEFAULT]);
    }
    expect((await get(alice, await personalOrgOf(service, alice))).json).toEqual(DEFAULT);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const eve = service.user();
    const refused = await get(eve, await createTeam(service, service.user()));
    expect([refused.status, refused.json['code']]).toEqual([404, 'not-found']);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await get(eve, id));
  });
});

describe('PUT /api/orgs/{org_id}/pr-gate', () => {
  it.each(['never', 'critical', 'high', 'medium', 'low', 'info'])('sets %s for an admin: 200', async (fail_on) => {
    const alice = service.user();
    const [team, other] = [await createTeam(service, alice), await createTeam(service, alice)];
    for (const new_only of [false, true]) {
      const { status, json } = await put(alice, team, { fail_on, new_only });
      expect([status, json]).toEqual([200, { fail_on, new_only }]);
      expect((await get(alice, team)).json).toEqual({ fail_on, new_only });
    }
    expect((await get(alice, other)).json).toEqual(DEFAULT);
  });

  it('refuses a member, and changes nothing: 403', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const { status, json } = await put(bob, team);
    expect([status, json['code'], (await get(bob, team)).json]).toEqual([403, 'forbidden', DEFAULT]);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const refused = await put(eve, team);
    expect([refused.status, (await get(alice, team)).json]).toEqual([404, DEFAULT]);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await put(eve, id));
  });

  it.each([
    [{ fail_on: 'HIGH', new_only: true }, 'fail_on'],
    [{ fail_on: 'severe', new_only: true }, 'fail_on'],
    [{ fail_on: null, new_only: true }, 'fail_on'],
    [{ new_only: true }, 'fail_on'],
    [{ fail_on: 'low' }, 'new_only'],
    [{ fail_on: 'low', new_only: 'true' }, 'new_only'],
    [{ fail_on: 'low', new_only: 1 }, 'new_only'],
    [{ fail_on: 'low', new_only: true, more: 1 }, ''],
  ])('refuses %j: 400', async (body, path) => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    const { status, json } = await put(alice, team, body);
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path }]]);
    expect((await get(alice, team)).json).toEqual(DEFAULT);
  });
});
