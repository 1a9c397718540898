import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const list = (as: TestUser, repo_id: string) =>
  service.call('GET /api/repositories/{repo_id}/rule-overrides', { as, params: { repo_id } });

describe('GET /api/repositories/{repo_id}/rule-overrides', () => {
  it('lists this repository’s overrides by rule, to every member: 200', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    const [repo, other] = [await addRepository(service, team, alice), await addRepository(service, team, alice)];
    expect((await list(bob, repo)).json).toEqual({ overrides: [] });
    const changes = [
      { rule_id: 'unpinned-uses', repository_id: repo, value: 'enabled' },
      { rule_id: 'template-injection', repository_id: repo, value: 'disabled' },
      { rule_id: 'artipacked', repository_id: other, value: 'disabled' },
      { rule_id: 'artipacked', repository_id: null, value: 'disabled' },
    ];
    const batch = { as: alice, query: `?org=${team}`, body: { changes } };
    expect((await service.call('PUT /api/rule-overrides:batch', batch)).status).toBe(200);
    const updated_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const user of [alice, bob]) {
      const { status, json } = await list(user, repo);
      expect(status).toBe(200);
      expect(json).toEqual({
        overrides: [
          { rule_id: 'template-injection', enabled: false, updated_at },
          { rule_id: 'unpinned-uses', enabled: true, updated_at },
        ],
      });
    }
  });

  it('also works for a removed repository', async () => {
    const alice = service.user();
    const repo = await addRepository(service, await createTeam(service, alice), alice);
    await service.database.sql('update public.repositories set removed_at = now() where id = $1', [repo]);
    expect((await list(alice, repo)).json).toEqual({ overrides: [] });
  });

  it('returns the same 404 for a stranger’s repository, an unknown one and an invalid id', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const refused = await list(eve, await addRepository(service, await createTeam(service, alice), alice));
    expect([refused.status, refused.json['code']]).toEqual([404, 'not-found']);
    for (const id of [randomUUID(), 'web', 'a\0b', '']) expectSameProblem(refused, await list(eve, id));
  });
});
