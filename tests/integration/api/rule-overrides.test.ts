import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const list = (as: TestUser, query = '') => service.call('GET /api/rule-overrides', { as, query });
const apply = (as: TestUser, query: string, changes: readonly unknown[]) =>
  service.call('PUT /api/rule-overrides:batch', { as, query, body: { changes } });

async function scene() {
  const [alice, bob] = [service.user(), service.user()];
  const team = await createTeam(service, alice, bob);
  const repos = [await addRepository(service, team, alice), await addRepository(service, team, alice)].sort();
  const { status, text } = await apply(alice, `?org=${team}`, [
    { rule_id: 'unpinned-uses', repository_id: repos[1], value: 'disabled' },
    { rule_id: 'template-injection', repository_id: repos[1], value: 'disabled' },
    { rule_id: 'template-injection', repository_id: repos[0], value: 'enabled' },
    { rule_id: 'template-injection', repository_id: null, value: 'disabled' },
  ]);
  expect(status, text).toBe(200);
  return { alice, bob, team, repos };
}

const updated_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('GET /api/rule-overrides', () => {
  it('lists repositories’ overrides, without the organization’s settings, to each member: 200', async () => {
    const { alice, bob, team, repos } = await scene();
    for (const user of [alice, bob]) {
      const { status, json } = await list(user, `?org=${team}`);
      expect(status).toBe(200);
      expect(json).toEqual({
        overrides: [
          { repository_id: repos[0], rule_id: 'template-injection', enabled: true, updated_at },
          { repository_id: repos[1], rule_id: 'template-injection', enabled: false, updated_at },
          { repository_id: repos[1], rule_id: 'unpinned-uses', enabled: false, updated_at },
        ],
      });
    }
  });

  it('filters by rule', async () => {
    const { alice, team, repos } = await scene();
    const { json } = await list(alice, `?rule_id=unpinned-uses&org=${team}`);
    expect(json).toEqual({
      overrides: [{ repository_id: repos[1], rule_id: 'unpinned-uses', enabled: false, updated_at }],
    });
    expect((await list(alice, `?org=${team}&rule_id=artipacked`)).json).toEqual({ overrides: [] });
  });

  it('defaults to the personal organization', async () => {
    const { alice } = await scene();
    expect((await list(alice)).json).toEqual({ overrides: [] });
    const personal = await personalOrgOf(service, alice);
    const repo = await addRepository(service, personal, alice);
    await apply(alice, '', [{ rule_id: 'artipacked', repository_id: repo, value: 'disabled' }]);
    expect((await list(alice)).json['overrides']).toMatchObject([{ repository_id: repo }]);
    expect((await list(alice, `?org=${personal}`)).json).toEqual((await list(alice)).json);
  });

  it.each(['no-such-rule', '', '%00', 'Unpinned-Uses'])('refuses ?rule_id=%s: 400', async (rule) => {
    const { status, json } = await list(service.user(), `?rule_id=${rule}`);
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'rule_id' }]]);
  });

  it('refuses foreign and unknown organizations alike (403), and invalid ids (400)', async () => {
    const { team } = await scene();
    const eve = service.user();
    const refused = await list(eve, `?org=${team}`);
    expect([refused.status, refused.json['code']]).toEqual([403, 'forbidden']);
    expectSameProblem(refused, await list(eve, `?org=${randomUUID()}`));
    const wrong = await list(eve, '?org=acme');
    expect([wrong.status, wrong.json['errors']]).toMatchObject([400, [{ path: 'org' }]]);
  });
});
