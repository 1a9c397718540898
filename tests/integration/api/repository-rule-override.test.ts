import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const RULE = 'template-injection';

const list = (as: TestUser, repo_id: string) =>
  service.call('GET /api/repositories/{repo_id}/rule-overrides', { as, params: { repo_id } });
const put = (as: TestUser, repo_id: string, rule_id: string, body: unknown = { enabled: false }) =>
  service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', { as, params: { repo_id, rule_id }, body });
const remove = (as: TestUser, repo_id: string, rule_id: string) =>
  service.call('DELETE /api/repositories/{repo_id}/rule-overrides/{rule_id}', { as, params: { repo_id, rule_id } });

async function overridesOf(repoId: string): Promise<[string, boolean][]> {
  const rows = await service.database.sql<{ rule_id: string; enabled: boolean }>(
    'select rule_id, enabled from public.rule_overrides where repo_id = $1 order by rule_id',
    [repoId],
  );
  return rows.map(({ rule_id, enabled }) => [rule_id, enabled]);
}

async function scene() {
  const [alice, bob, eve] = [service.user(), service.user(), service.user()];
  const team = await createTeam(service, alice, bob);
  return { alice, bob, eve, team, repo: await addRepository(service, team, alice) };
}

describe('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', () => {
  it('overrides the rule for this repository, by any member: 204', async () => {
    const { alice, bob, team, repo } = await scene();
    const other = await addRepository(service, team, alice);
    for (const enabled of [false, true, true]) {
      const { status, text } = await put(bob, repo, RULE, { enabled });
      expect([status, text, await overridesOf(repo)]).toEqual([204, '', [[RULE, enabled]]]);
    }
    expect(await overridesOf(other)).toEqual([]);
    expect((await service.call('GET /api/rule-settings', { as: bob, query: `?org=${team}` })).json).toEqual({
      settings: [],
    });
  });

  it.each(['no-such-rule', 'Template-Injection', 'a\0b'])('refuses the unknown rule %j: 400', async (rule) => {
    const { alice, repo } = await scene();
    const { status, json } = await put(alice, repo, rule);
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'rule_id' }]]);
    expect(await overridesOf(repo)).toEqual([]);
  });

  it.each([[{ enabled: 'true' }], [{ enabled: null }], [{}], [{ enabled: true, more: 1 }]])(
    'refuses %j: 400',
    async (body) => {
      const { alice, repo } = await scene();
      expect((await put(alice, repo, RULE, body)).json).toMatchObject({ status: 400, code: 'validation-failed' });
    },
  );

  it('returns the same 404 for a stranger’s repository, an unknown one and an invalid id', async () => {
    const { eve, repo } = await scene();
    const refused = await put(eve, repo, RULE);
    expect([refused.status, refused.json['code'], await overridesOf(repo)]).toEqual([404, 'not-found', []]);
    for (const id of [randomUUID(), 'web', 'a\0b']) expectSameProblem(refused, await put(eve, id, RULE));
  });
});

describe('DELETE /api/repositories/{repo_id}/rule-overrides/{rule_id}', () => {
  it('clears the override, existing or not: 204', async () => {
    const { alice, bob, repo } = await scene();
    await put(alice, repo, RULE);
    await put(alice, repo, 'unpinned-uses');
    for (const _ of [1, 2]) {
      const { status, text } = await remove(bob, repo, RULE);
      expect([status, text, await overridesOf(repo)]).toEqual([204, '', [['unpinned-uses', false]]]);
    }
  });

  it('refuses a rule that the catalog does not have: 400', async () => {
    const { alice, repo } = await scene();
    const { status, json } = await remove(alice, repo, 'no-such-rule');
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'rule_id' }]]);
  });

  it('returns the same 404 for a stranger’s repository, an unknown one and an invalid id', async () => {
    const { alice, eve, repo } = await scene();
    await put(alice, repo, RULE);
    const refused = await remove(eve, repo, RULE);
    expect([refused.status, refused.json['code'], await overridesOf(repo)]).toEqual([
      404,
      'not-found',
      [[RULE, false]],
    ]);
    for (const id of [randomUUID(), 'web']) expectSameProblem(refused, await remove(eve, id, RULE));
  });
});

describe('overrides of a former member', () => {
  it('stay, but the member can neither see nor change them', async () => {
    const { alice, bob, team, repo } = await scene();
    await put(bob, repo, RULE);
    const params = { org_id: team, user_id: bob.id };
    await service.call('DELETE /api/orgs/{org_id}/members/{user_id}', { as: alice, params });
    expect((await list(alice, repo)).json['overrides']).toMatchObject([{ rule_id: RULE, enabled: false }]);
    for (const { status } of [await list(bob, repo), await put(bob, repo, RULE), await remove(bob, repo, RULE)]) {
      expect(status).toBe(404);
    }
  });
});
