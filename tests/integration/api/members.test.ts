import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, join, personalOrgOf } from '../../support/teams.ts';
import { signToken } from '../../support/token.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const list = (as: TestUser, org_id: string) =>
  service.call('GET /api/orgs/{org_id}/members', { as, params: { org_id } });

describe('GET /api/orgs/{org_id}/members', () => {
  it('shows all members with addresses and roles to each member: 200', async () => {
    const [alice, bob, carol] = [service.user(), service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    await join(service, alice, team, carol, 'admin');
    const joined_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const user of [alice, bob, carol]) {
      const { status, json } = await list(user, team);
      expect(status).toBe(200);
      expect(json).toEqual({
        members: [
          { user_id: alice.id, email: alice.email, role: 'admin', joined_at },
          { user_id: bob.id, email: bob.email, role: 'member', joined_at },
          { user_id: carol.id, email: carol.email, role: 'admin', joined_at },
        ],
      });
    }
  });

  it('shows one member of a personal organization', async () => {
    const alice = service.user();
    const { json } = await list(alice, await personalOrgOf(service, alice));
    expect(json['members']).toMatchObject([{ user_id: alice.id, role: 'admin' }]);
  });

  it('shows null without an address, and the address of the newest token', async () => {
    const alice = service.user({ email: null });
    const team = await createTeam(service, alice);
    expect((await list(alice, team)).json['members']).toMatchObject([{ email: null }]);
    const email = 'Alice@New.example';
    const later = { ...alice, email, token: signToken(service.database.jwtSecret, alice.id, { email }) };
    await service.call('GET /api/orgs', { as: later });
    expect((await list(later, team)).json['members']).toMatchObject([{ email }]);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const eve = service.user();
    const refused = await list(eve, await createTeam(service, service.user()));
    expect([refused.status, refused.json['code']]).toEqual([404, 'not-found']);
    for (const id of [randomUUID(), 'acme']) expectSameProblem(refused, await list(eve, id));
  });
});
