import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusesOf } from '../../support/call-route.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, join, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const put = (as: TestUser, org_id: string, user_id: string, body: unknown) =>
  service.call('PUT /api/orgs/{org_id}/members/{user_id}/role', { as, params: { org_id, user_id }, body });

async function rolesIn(orgId: string): Promise<Record<string, string>> {
  const rows = await service.database.sql<{ user_id: string; role: string }>(
    'select user_id, role from public.org_members where org_id = $1',
    [orgId],
  );
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
}

describe('PUT /api/orgs/{org_id}/members/{user_id}/role', () => {
  it('changes roles, and accepts the same role again: 200', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    for (const role of ['admin', 'admin', 'member', 'member']) {
      const { status, json } = await put(alice, team, bob.id, { role });
      expect([status, json]).toEqual([200, { user_id: bob.id, role }]);
      expect((await rolesIn(team))[bob.id]).toBe(role);
    }
    expect((await put(alice, team, alice.id, { role: 'admin' })).json).toEqual({ user_id: alice.id, role: 'admin' });
  });

  it('lets an admin step down while there is another', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    await join(service, alice, team, bob, 'admin');
    expect((await put(alice, team, alice.id, { role: 'member' })).status).toBe(200);
    expect((await put(alice, team, bob.id, { role: 'member' })).status).toBe(403);
  });

  it('refuses members, also for themselves: 403', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    for (const target of [bob.id, alice.id, randomUUID()]) {
      expect((await put(bob, team, target, { role: 'admin' })).json).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(await rolesIn(team)).toEqual({ [alice.id]: 'admin', [bob.id]: 'member' });
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const refused = await put(eve, team, alice.id, { role: 'member' });
    expect([refused.status, refused.json['code']]).toEqual([404, 'not-found']);
    for (const id of [randomUUID(), 'acme']) {
      expectSameProblem(refused, await put(eve, id, alice.id, { role: 'member' }));
    }
  });

  it('returns the same 404 for a non-member and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const missing = await put(alice, team, eve.id, { role: 'admin' });
    expect([missing.status, missing.json['code']]).toEqual([404, 'not-found']);
    expectSameProblem(missing, await put(alice, team, 'eve', { role: 'admin' }));
    expect(await rolesIn(team)).toEqual({ [alice.id]: 'admin' });
  });

  it('keeps the last admin, in a team and in a personal organization: 409', async () => {
    const [alice, bob] = [service.user(), service.user()];
    for (const org of [await createTeam(service, alice, bob), await personalOrgOf(service, alice)]) {
      const { status, json } = await put(alice, org, alice.id, { role: 'member' });
      expect([status, json['code'], (await rolesIn(org))[alice.id]]).toEqual([409, 'last-admin', 'admin']);
    }
  });

  it.each([[{ role: 'owner' }], [{ role: 'Admin' }], [{ role: null }], [{}], [{ role: 'admin', more: 1 }]])(
    'refuses %j: 400',
    async (body) => {
      const alice = service.user();
      const { status, json } = await put(alice, await createTeam(service, alice), alice.id, body);
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    },
  );

  it.each([
    ['step down', 409],
    ['demote each other', 403],
  ])('accepts one of two concurrent admins who %s: the other gets %i', async (what, lost) => {
    const teams = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const [alice, bob] = [service.user(), service.user()];
        const team = await createTeam(service, alice);
        await join(service, alice, team, bob, 'admin');
        return { alice, bob, team };
      }),
    );
    for (const { alice, bob, team } of teams) {
      const [of, other] = what === 'step down' ? [alice, bob] : [bob, alice];
      const body = { role: 'member' };
      const answers = await Promise.all([put(alice, team, of.id, body), put(bob, team, other.id, body)]);
      expect(statusesOf(answers)).toEqual([200, lost]);
      expect(Object.values(await rolesIn(team)).sort()).toEqual(['admin', 'member']);
    }
  });
});
