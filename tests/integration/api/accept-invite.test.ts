import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusesOf } from '../../support/call-route.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem } from '../../support/teams.ts';
import { signToken } from '../../support/token.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const accept = (as: TestUser, invite_id: string) =>
  service.call('POST /api/invites/{invite_id}/accept', { as, params: { invite_id } });

async function invite(admin: TestUser, org_id: string, email: string | null, role = 'member'): Promise<string> {
  const call = { as: admin, params: { org_id }, body: { email, role } };
  const { status, text, json } = await service.call('POST /api/orgs/{org_id}/invites', call);
  expect(status, text).toBe(201);
  return String(json['invite_id']);
}

async function roleIn(orgId: string, { id }: TestUser): Promise<unknown> {
  const where = 'select role from public.org_members where org_id = $1 and user_id = $2';
  return (await service.database.sql(where, [orgId, id]))[0]?.['role'];
}

describe('POST /api/invites/{invite_id}/accept', () => {
  it.each(['admin', 'member'])('makes the invited person %s of the organization, once: 200, then 404', async (role) => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, bob.email?.toUpperCase() ?? '', role);
    const { status, json } = await accept(bob, id);
    expect([status, json]).toMatchObject([200, { id: team, name: 'Acme', personal: false, role }]);
    expect(await roleIn(team, bob)).toBe(role);
    expect((await service.call('GET /api/orgs', { as: bob })).json['orgs']).toContainEqual(json);
    expect((await service.call('GET /api/invites', { as: bob })).json).toEqual({ invites: [] });
    const again = await accept(bob, id);
    expect([again.status, again.json['code']]).toEqual([404, 'not-found']);
  });

  it('returns the same 404 for another address, no address, an unknown invite and an invalid id', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, bob.email);
    const missing = await accept(bob, randomUUID());
    expect([missing.status, missing.json['code']]).toEqual([404, 'not-found']);
    expectSameProblem(missing, await accept(bob, 'x'));
    const others = [
      alice,
      service.user(),
      service.user({ email: null }),
      service.user({ email: `${String(bob.email)} ` }),
      service.user({ email: `x${String(bob.email)}` }),
    ];
    for (const other of others) {
      expectSameProblem(missing, await accept(other, id));
      if (other !== alice) expect(await roleIn(team, other)).toBeUndefined();
    }
    expect((await accept(bob, id)).status).toBe(200);
  });

  it('rejects an address that only case-folds to the invited one', async () => {
    const alice = service.user();
    const id = await invite(alice, await createTeam(service, alice), 'mike@example.com');
    expect((await accept(service.user({ email: 'mi\u212Ae@example.com' }), id)).status).toBe(404);
  });

  it('succeeds once for concurrent requests', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, bob.email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(bob, id)));
    expect(statusesOf(answers)).toEqual([200, 404, 404, 404, 404]);
    const rows = await service.database.sql('select from public.org_members where org_id = $1', [team]);
    expect(rows).toHaveLength(2);
  });

  it('is either accepted or revoked by concurrent requests', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, bob.email);
    const params = { org_id: team, invite_id: id };
    const [accepted, revoked] = await Promise.all([
      accept(bob, id),
      service.call('DELETE /api/orgs/{org_id}/invites/{invite_id}', { as: alice, params }),
    ]);
    expect([
      [200, 404, 'member'],
      [404, 204, undefined],
    ]).toContainEqual([accepted.status, revoked.status, await roleIn(team, bob)]);
  });

  it('keeps the role of someone who is a member under another address', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const email = 'second@example.com';
    const id = await invite(alice, team, email, 'admin');
    const other = { ...bob, email, token: signToken(service.database.jwtSecret, bob.id, { email }) };
    const { status, json } = await accept(other, id);
    expect([status, json['role'], await roleIn(team, bob)]).toEqual([200, 'member', 'member']);
  });

  it('creates the personal organization of a new user', async () => {
    const [alice, bob] = [service.user(), service.user()];
    await accept(bob, await invite(alice, await createTeam(service, alice), bob.email));
    const personal = 'select from public.organizations where personal and created_by = $1';
    expect(await service.database.sql(personal, [bob.id])).toHaveLength(1);
  });
});
