import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const rename = (as: TestUser, org_id: string, body: unknown = { name: 'New' }) =>
  service.call('PATCH /api/orgs/{org_id}', { as, params: { org_id }, body });

async function nameOf(orgId: string): Promise<unknown> {
  return (await service.database.sql('select name from public.organizations where id = $1', [orgId]))[0]?.['name'];
}

describe('PATCH /api/orgs/{org_id}', () => {
  it('renames for an admin and answers the organization: 200', async () => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    const { status, json } = await rename(alice, team, { name: '  Ümlaut & Söhne 🙂 ' });
    expect([status, json]).toMatchObject([
      200,
      { id: team, name: 'Ümlaut & Söhne 🙂', personal: false, role: 'admin' },
    ]);
    expect((await service.call('GET /api/orgs', { as: alice })).json['orgs']).toContainEqual(json);
  });

  it('renames a personal organization, which stays the personal one', async () => {
    const alice = service.user();
    const personal = await personalOrgOf(service, alice);
    expect((await rename(alice, personal)).json).toMatchObject({ id: personal, name: 'New', personal: true });
    expect(await personalOrgOf(service, alice)).toBe(personal);
  });

  it('refuses a member, and changes nothing: 403', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const { status, json } = await rename(bob, team);
    expect([status, json['code'], await nameOf(team)]).toEqual([403, 'forbidden', 'Acme']);
  });

  it('returns the same 404 to a stranger, for an unknown organization and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const refused = await rename(eve, team);
    expect([refused.status, refused.json['code'], await nameOf(team)]).toEqual([404, 'not-found', 'Acme']);
    for (const id of [randomUUID(), 'acme', `${team}x`, '%', 'a\0b', '']) {
      expectSameProblem(refused, await rename(eve, id));
      expectSameProblem(refused, await rename(alice, id));
    }
  });

  it('takes the id in any letter case', async () => {
    const alice = service.user();
    const team = await createTeam(service, alice);
    expect((await rename(alice, team.toUpperCase())).status).toBe(200);
  });

  it.each([[{ name: '  ' }], [{ name: 'x'.repeat(101) }], [{}], [{ name: 'a', role: 'admin' }], ['a']])(
    'refuses %j: 400',
    async (body) => {
      const alice = service.user();
      const team = await createTeam(service, alice);
      const { status, json } = await rename(alice, team, body);
      expect([status, json['code'], await nameOf(team)]).toEqual([400, 'validation-failed', 'Acme']);
    },
  );
});
