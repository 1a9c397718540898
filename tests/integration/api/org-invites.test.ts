import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusesOf } from '../../support/call-route.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const list = (as: TestUser, org_id: string) =>
  service.call('GET /api/orgs/{org_id}/invites', { as, params: { org_id } });
const invite = (as: TestUser, org_id: string, email: unknown, role: unknown = 'member') =>
  service.call('POST /api/orgs/{org_id}/invites', { as, params: { org_id }, body: { email, role } });

describe('GET /api/orgs/{org_id}/invites', () => {
  it('shows open invites to every member, oldest first: 200', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const [team, other] = [await createTeam(service, alice, bob), await createTeam(service, alice)];
    expect((await list(bob, team)).json).toEqual({ invites: [] });
    const made = [await invite(alice, team, 'x@example.com'), await invite(alice, team, 'a@example.com', 'admin')];
    await invite(alice, other, 'o@example.com');
    for (const user of [alice, bob]) {
      const { status, json } = await list(user, team);
      expect([status, json]).toEqual([200, { invites: made.map((each) => each.json) }]);
    }
  });

  it('returns the same 404 to a stranger, an invited user, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    await invite(alice, team, eve.email);
    const refused = await list(eve, team);
    expect([refused.status, refused.json['code']]).toEqual([404, 'not-found']);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await list(eve, id));
  });
});

describe('POST /api/orgs/{org_id}/invites', () => {
  it('invites for an admin, in either role: 201 with the invite', async () => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    for (const role of ['admin', 'member']) {
      const { status, json } = await invite(alice, team, ` ${role}.O'Neil+x@Mail.Example.com\n`, role);
      expect([status, json]).toEqual([
        201,
        {
          invite_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          email: `${role}.O'Neil+x@Mail.Example.com`,
          role,
          org_id: team,
          org_name: 'Acme',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ]);
    }
  });

  it('refuses a member: 403', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const { status, json } = await invite(bob, team, 'x@example.com');
    expect([status, json['code'], (await list(alice, team)).json]).toEqual([403, 'forbidden', { invites: [] }]);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const refused = await invite(eve, team, eve.email, 'admin');
    expect([refused.status, (await list(alice, team)).json]).toEqual([404, { invites: [] }]);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await invite(eve, id, eve.email));
  });

  it('refuses invites to a personal organization: 409', async () => {
    const alice = service.user();
    const { status, json } = await invite(alice, await personalOrgOf(service, alice), 'x@example.com');
    expect([status, json['code']]).toEqual([409, 'personal-org']);
  });

  it('refuses the address of a member, in any letter case: 409', async () => {
    const [alice, bob] = [service.user(), service.user({ email: 'Bob@Example.com' })];
    const team = await createTeam(service, alice, bob);
    for (const address of ['Bob@Example.com', 'bob@EXAMPLE.com', alice.email?.toUpperCase()]) {
      const { status, json } = await invite(alice, team, address);
      expect([status, json['code']]).toEqual([409, 'already-member']);
    }
  });

  it('refuses an address with an open invite, in any letter case and either role: 409', async () => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    expect((await invite(alice, team, 'X@Example.com')).status).toBe(201);
    for (const [address, role] of [
      ['X@Example.com', 'member'],
      [' x@example.COM ', 'admin'],
    ]) {
      const { status, json } = await invite(alice, team, address, role);
      expect([status, json['code']]).toEqual([409, 'already-invited']);
    }
    expect((await invite(alice, await createTeam(service, alice), 'x@example.com')).status).toBe(201);
  });

  it('creates one invite of two concurrent ones that differ in case', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const answers = await Promise.all(
      ['x@example.com', 'X@Example.COM', 'x@EXAMPLE.com', 'x@example.com'].map((email) => invite(alice, team, email)),
    );
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409]);
    expect((await list(alice, team)).json['invites']).toHaveLength(1);
  });

  it.each([
    '',
    ' ',
    'x',
    'x@',
    '@example.com',
    'x@y@example.com',
    'x y@example.com',
    'x@exam ple.com',
    'x@example..com',
    'x@-example.com',
    'x@example.com, y@example.com',
    'X <x@example.com>',
    'mailto:x@example.com?',
    'x@example.com\r\nBcc: y@example.com',
    `${'x'.repeat(310)}@example.com`,
    'x\0@example.com',
    7,
    null,
  ])('refuses the address %j: 400', async (email) => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    const { status, json } = await invite(alice, team, email);
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'email' }]]);
    expect((await list(alice, team)).json).toEqual({ invites: [] });
  });

  it.each([[{ email: 'x@example.com' }], [{ role: 'member' }], [{ email: 'x@example.com', role: 'owner' }], [{}], [7]])(
    'refuses %j: 400',
    async (body) => {
      const alice = service.user();
      const params = { org_id: await createTeam(service, alice) };
      const { status, json } = await service.call('POST /api/orgs/{org_id}/invites', { as: alice, params, body });
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    },
  );
});
