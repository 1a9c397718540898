import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const revoke = (as: TestUser, org_id: string, invite_id: string) =>
  service.call('DELETE /api/orgs/{org_id}/invites/{invite_id}', { as, params: { org_id, invite_id } });

async function invite(admin: TestUser, org_id: string, to: TestUser): Promise<string> {
  const body = { email: to.email, role: 'member' };
  const { json } = await service.call('POST /api/orgs/{org_id}/invites', { as: admin, params: { org_id }, body });
  return String(json['invite_id']);
}

async function openInvites(orgId: string): Promise<number> {
  return (await service.database.sql('select from public.org_invites where org_id = $1', [orgId])).length;
}

describe('DELETE /api/orgs/{org_id}/invites/{invite_id}', () => {
  it('revokes for an admin: 204, nobody can accept it any more, and the address can be invited again', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, bob);
    const { status, text } = await revoke(alice, team, id);
    expect([status, text, await openInvites(team)]).toEqual([204, '', 0]);
    expect((await service.call('GET /api/invites', { as: bob })).json).toEqual({ invites: [] });
    const params = { invite_id: id };
    expect((await service.call('POST /api/invites/{invite_id}/accept', { as: bob, params })).status).toBe(404);
    expect(await invite(alice, team, bob)).not.toBe(id);
  });

  it('refuses a member with 403, and an invited non-member with 404', async () => {
    const [alice, bob, carol] = [service.user(), service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const id = await invite(alice, team, carol);
    expect((await revoke(bob, team, id)).json).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await revoke(bob, team, randomUUID())).status).toBe(403);
    expect((await revoke(carol, team, id)).json).toMatchObject({ status: 404, code: 'not-found' });
    expect(await openInvites(team)).toBe(1);
  });

  it('returns the same 404 for an unknown, revoked or foreign invite and an invalid id', async () => {
    const [alice, mallory, bob] = [service.user(), service.user(), service.user()];
    const [team, other] = [await createTeam(service, alice), await createTeam(service, mallory)];
    const id = await invite(alice, team, bob);
    const missing = await revoke(mallory, other, randomUUID());
    expect([missing.status, missing.json['code']]).toEqual([404, 'not-found']);
    expectSameProblem(missing, await revoke(mallory, other, id));
    expectSameProblem(missing, await revoke(mallory, other, 'x'));
    expect(await openInvites(team)).toBe(1);
    await revoke(alice, team, id);
    expectSameProblem(missing, await revoke(alice, team, id));
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const id = await invite(alice, team, eve);
    const refused = await revoke(eve, team, id);
    expect([refused.status, await openInvites(team)]).toEqual([404, 1]);
    for (const org of [randomUUID(), 'acme']) expectSameProblem(refused, await revoke(eve, org, id));
  });
});
