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

const remove = (as: TestUser, org_id: string, user_id: string) =>
  service.call('DELETE /api/orgs/{org_id}/members/{user_id}', { as, params: { org_id, user_id } });

async function membersOf(orgId: string): Promise<string[]> {
  const rows = await service.database.sql<{ user_id: string }>(
    'select user_id from public.org_members where org_id = $1 order by joined_at, user_id',
    [orgId],
  );
  return rows.map(({ user_id }) => user_id);
}

describe('DELETE /api/orgs/{org_id}/members/{user_id}', () => {
  it('lets an admin remove a member, who immediately loses access: 204', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const { status, text } = await remove(alice, team, bob.id);
    expect([status, text, await membersOf(team)]).toEqual([204, '', [alice.id]]);
    const params = { org_id: team };
    expect((await service.call('GET /api/orgs/{org_id}/members', { as: bob, params })).status).toBe(404);
    expect((await service.call('GET /api/rule-settings', { as: bob, query: `?org=${team}` })).status).toBe(403);
    expect((await service.call('GET /api/orgs', { as: bob })).text).not.toContain(team);
  });

  it('lets members leave and return', async () => {
    const [alice, bob, carol] = [service.user(), service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    await join(service, alice, team, carol, 'admin');
    expect((await remove(bob, team, bob.id)).status).toBe(204);
    expect((await remove(alice, team, carol.id)).status).toBe(204);
    await join(service, alice, team, bob, 'member');
    expect(await membersOf(team)).toEqual([alice.id, bob.id]);
  });

  it('refuses a member for anyone else, existing or not: 403', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    for (const target of [alice.id, randomUUID(), 'alice']) {
      const { status, json } = await remove(bob, team, target);
      expect([status, json['code']]).toEqual([403, 'forbidden']);
    }
    expect(await membersOf(team)).toEqual([alice.id, bob.id]);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, bob, eve] = [service.user(), service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const refused = await remove(eve, team, bob.id);
    expect([refused.status, refused.json['code'], await membersOf(team)]).toEqual([
      404,
      'not-found',
      [alice.id, bob.id],
    ]);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await remove(eve, id, bob.id));
    expectSameProblem(refused, await remove(eve, team, eve.id));
  });

  it('returns the same 404 to an admin for a non-member and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const missing = await remove(alice, team, eve.id);
    expect([missing.status, missing.json['code']]).toEqual([404, 'not-found']);
    expectSameProblem(missing, await remove(alice, team, 'eve'));
  });

  it('keeps the last admin, with and without members: 409', async () => {
    const [alice, bob] = [service.user(), service.user()];
    for (const team of [await createTeam(service, alice), await createTeam(service, alice, bob)]) {
      const { status, json } = await remove(alice, team, alice.id);
      expect([status, json['code'], (await membersOf(team))[0]]).toEqual([409, 'last-admin', alice.id]);
    }
  });

  it('lets nobody leave a personal organization: 409', async () => {
    const alice = service.user();
    const personal = await personalOrgOf(service, alice);
    const { status, json } = await remove(alice, personal, alice.id);
    expect([status, json['code'], await membersOf(personal)]).toEqual([409, 'personal-org', [alice.id]]);
  });

  it.each([
    ['leave', 409],
    ['remove each other', 404],
  ])('accepts one of the last two admins who concurrently %s: the other gets %i', async (what, lost) => {
    const teams = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const [alice, bob] = [service.user(), service.user()];
        const team = await createTeam(service, alice);
        await join(service, alice, team, bob, 'admin');
        return { alice, bob, team };
      }),
    );
    for (const { alice, bob, team } of teams) {
      const [of, other] = what === 'leave' ? [alice, bob] : [bob, alice];
      const answers = await Promise.all([remove(alice, team, of.id), remove(bob, team, other.id)]);
      expect(statusesOf(answers)).toEqual([204, lost]);
      const rows = await service.database.sql('select role from public.org_members where org_id = $1', [team]);
      expect(rows).toEqual([{ role: 'admin' }]);
    }
  });
});
