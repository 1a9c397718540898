import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const list = (as: TestUser, query = '') => service.call('GET /api/rule-settings', { as, query });
const put = (as: TestUser, rule_id: string, enabled: boolean, query = '') =>
  service.call('PUT /api/rule-settings/{rule_id}', { as, params: { rule_id }, query, body: { enabled } });

describe('GET /api/rule-settings', () => {
  it('lists only the organization’s settings, by rule: 200', async () => {
    const alice = service.user();
    const before = await list(alice);
    expect([before.status, before.json]).toEqual([200, { settings: [] }]);
    await put(alice, 'unpinned-uses', true);
    await put(alice, 'template-injection', false);
    const updated_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await list(alice)).json).toEqual({
      settings: [
        { rule_id: 'template-injection', enabled: false, updated_at },
        { rule_id: 'unpinned-uses', enabled: true, updated_at },
      ],
    });
  });

  it('defaults to the personal organization; members can name another', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    await put(alice, 'unpinned-uses', false, `?org=${team}`);
    expect((await list(alice)).json).toEqual({ settings: [] });
    expect((await list(alice, `?org=${await personalOrgOf(service, alice)}`)).json).toEqual({ settings: [] });
    for (const org of [team, team.toUpperCase()]) {
      expect((await list(bob, `?org=${org}`)).json['settings']).toMatchObject([
        { rule_id: 'unpinned-uses', enabled: false },
      ]);
    }
  });

  it('leaves out repositories’ overrides', async () => {
    const alice = service.user();
    const repo_id = await addRepository(service, await personalOrgOf(service, alice), alice);
    const params = { repo_id, rule_id: 'unpinned-uses' };
    const call = { as: alice, params, body: { enabled: false } };
    await service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', call);
    expect((await list(alice)).json).toEqual({ settings: [] });
  });

  it('refuses foreign and unknown organizations alike: 403', async () => {
    const eve = service.user();
    const refused = await list(eve, `?org=${await createTeam(service, service.user())}`);
    expect([refused.status, refused.json['code']]).toEqual([403, 'forbidden']);
    expectSameProblem(refused, await list(eve, `?org=${randomUUID()}`));
  });

  it.each(['acme', '', '%00', '1', `${randomUUID()}x`])('refuses ?org=%s: 400', async (org) => {
    const { status, json } = await list(service.user(), `?org=${org}`);
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'org' }]]);
  });
});
