import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const invite = (as: TestUser, org_id: string, email: string) =>
  service.call('POST /api/orgs/{org_id}/invites', { as, params: { org_id }, body: { email, role: 'member' } });

async function invitesOf(as: TestUser): Promise<unknown> {
  const { status, json } = await service.call('GET /api/invites', { as });
  expect(status).toBe(200);
  return json['invites'];
}

describe('GET /api/invites', () => {
  it('shows all invites to the address of the token, case-insensitively: 200', async () => {
    const [alice, carol] = [service.user(), service.user()];
    const bob = service.user({ email: 'Bob.B@Example.com' });
    expect(await invitesOf(bob)).toEqual([]);
    const made = [
      await invite(alice, await createTeam(service, alice), 'bob.b@example.COM'),
      await invite(carol, await createTeam(service, carol), 'BOB.B@example.com'),
    ];
    await invite(carol, await createTeam(service, carol), 'bob.c@example.com');
    expect(await invitesOf(bob)).toEqual(made.map(({ json }) => json));
  });

  it('hides invites to similar or case-folded addresses', async () => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    const domain = `${randomUUID()}.example.com`;
    await invite(alice, team, `mike@${domain}`);
    // The Kelvin sign (whose lower case is k), a long s, white space, and wildcards.
    for (const email of [`mi\u212Ae@${domain}`, `mike@${domain} `, `ike@${domain}`, '%', `mi_e@${domain}`]) {
      expect(await invitesOf(service.user({ email })), email).toEqual([]);
    }
    expect(await invitesOf(service.user({ email: `MIKE@${domain}` }))).toHaveLength(1);
  });

  it.each([
    ['no address', {}],
    ['an empty one', { email: '' }],
    ['null', { email: null }],
  ])('shows nothing to a token with %s', async (_, claims) => {
    expect(await invitesOf(service.user({ email: null, claims }))).toEqual([]);
  });
});
