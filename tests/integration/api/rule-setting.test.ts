import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const RULE = 'template-injection';
const UNKNOWN = ['no-such-rule', 'Template-Injection', 'template-injection ', '%', 'a\0b', 'x'.repeat(5_000)].map(
  (rule) => ({ rule, title: JSON.stringify(rule.slice(0, 20)) }),
);

const put = (as: TestUser, rule_id: string, body: unknown, query = '') =>
  service.call('PUT /api/rule-settings/{rule_id}', { as, params: { rule_id }, query, body });
const remove = (as: TestUser, rule_id: string, query = '') =>
  service.call('DELETE /api/rule-settings/{rule_id}', { as, params: { rule_id }, query });

async function settingsOf(as: TestUser, query = ''): Promise<[string, boolean][]> {
  const { json } = await service.call('GET /api/rule-settings', { as, query });
  const settings = json['settings'] as readonly { readonly rule_id: string; readonly enabled: boolean }[];
  return settings.map(({ rule_id, enabled }) => [rule_id, enabled]);
}

describe('PUT /api/rule-settings/{rule_id}', () => {
  it('switches the rule off and on again in one row: 204', async () => {
    const alice = service.user();
    for (const enabled of [false, false, true]) {
      const { status, text } = await put(alice, RULE, { enabled });
      expect([status, text, await settingsOf(alice)]).toEqual([204, '', [[RULE, enabled]]]);
    }
  });

  it('changes the named organization, by any member, and records who did', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    expect((await put(bob, RULE, { enabled: false }, `?org=${team}`)).status).toBe(204);
    expect([await settingsOf(bob), await settingsOf(alice, `?org=${team}`)]).toEqual([[], [[RULE, false]]]);
    const rows = await service.database.sql('select updated_by from public.rule_settings where org_id = $1', [team]);
    expect(rows).toEqual([{ updated_by: bob.id }]);
  });

  it.each(UNKNOWN)('refuses $title, which the catalog lacks: 400', async ({ rule }) => {
    const alice = service.user();
    const { status, json } = await put(alice, rule, { enabled: false });
    expect([status, json['code'], json['errors']]).toMatchObject([400, 'validation-failed', [{ path: 'rule_id' }]]);
    expect(await settingsOf(alice)).toEqual([]);
  });

  it.each([[{ enabled: 'false' }], [{ enabled: 0 }], [{ enabled: null }], [{}], [{ enabled: true, org: 'x' }], [null]])(
    'refuses %j: 400',
    async (body) => {
      const { status, json } = await put(service.user(), RULE, body);
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    },
  );

  it('refuses foreign and unknown organizations alike (403), and invalid ids (400)', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    const refused = await put(eve, RULE, { enabled: false }, `?org=${team}`);
    expect([refused.status, refused.json['code']]).toEqual([403, 'forbidden']);
    expectSameProblem(refused, await put(eve, RULE, { enabled: false }, `?org=${randomUUID()}`));
    expect((await put(eve, RULE, { enabled: false }, '?org=acme')).status).toBe(400);
    expect(await settingsOf(alice, `?org=${team}`)).toEqual([]);
  });
});

describe('DELETE /api/rule-settings/{rule_id}', () => {
  it('clears the row, existing or not: 204', async () => {
    const alice = service.user();
    await put(alice, RULE, { enabled: false });
    await put(alice, 'unpinned-uses', { enabled: false });
    for (const _ of [1, 2]) {
      const { status, text } = await remove(alice, RULE);
      expect([status, text, await settingsOf(alice)]).toEqual([204, '', [['unpinned-uses', false]]]);
    }
  });

  it('clears the row of a retired rule', async () => {
    const alice = service.user();
    const org = await personalOrgOf(service, alice);
    await service.database.sql(
      `insert into public.rule_settings (org_id, rule_id, enabled, updated_by) values ($1, 'retired-rule', false, $2)`,
      [org, alice.id],
    );
    expect(await settingsOf(alice)).toEqual([['retired-rule', false]]);
    expect((await remove(alice, 'retired-rule')).status).toBe(204);
    expect(await settingsOf(alice)).toEqual([]);
  });

  it.each(UNKNOWN)('accepts $title, which the catalog lacks: 204', async ({ rule }) => {
    expect((await remove(service.user(), rule)).status).toBe(204);
  });

  it('clears it in the named organization, by any member', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    await put(alice, RULE, { enabled: false }, `?org=${team}`);
    await put(bob, RULE, { enabled: false });
    expect((await remove(bob, RULE, `?org=${team}`)).status).toBe(204);
    expect([await settingsOf(bob), await settingsOf(alice, `?org=${team}`)]).toEqual([[[RULE, false]], []]);
  });

  it('refuses foreign and unknown organizations alike (403), and invalid ids (400)', async () => {
    const [alice, eve] = [service.user(), service.user()];
    const team = await createTeam(service, alice);
    await put(alice, RULE, { enabled: false }, `?org=${team}`);
    const refused = await remove(eve, RULE, `?org=${team}`);
    expect([refused.status, refused.json['code']]).toEqual([403, 'forbidden']);
    expectSameProblem(refused, await remove(eve, RULE, `?org=${randomUUID()}`));
    expect((await remove(eve, RULE, '?org=acme')).status).toBe(400);
    expect(await settingsOf(alice, `?org=${team}`)).toEqual([[RULE, false]]);
  });
});
