import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const IDS = rules.map(({ id }) => id);
const [RULE = '', OTHER = ''] = IDS;

interface Change {
  readonly rule_id: unknown;
  readonly repository_id: unknown;
  readonly value: unknown;
}

const apply = (as: TestUser, org: string, changes: readonly unknown[]) =>
  service.call('PUT /api/rule-overrides:batch', { as, query: `?org=${org}`, body: { changes } });

async function scene(repositories = 1) {
  const [alice, bob] = [service.user(), service.user()];
  const team = await createTeam(service, alice, bob);
  const repos: string[] = [];
  for (let count = 0; count < repositories; count += 1) repos.push(await addRepository(service, team, alice));
  return { alice, bob, team, repo: repos[0] ?? '', repos };
}

async function storedIn(team: string): Promise<Record<string, boolean>> {
  const rows = await service.database.sql<{ key: string; enabled: boolean }>(
    `select rule_id || ' -' as key, enabled from public.rule_settings where org_id = $1
     union all select rule_id || ' ' || repo_id, enabled from public.rule_overrides where org_id = $1`,
    [team],
  );
  return Object.fromEntries(rows.map(({ key, enabled }) => [key, enabled]));
}

function fill(repos: readonly string[]): Change[] {
  const all = [null, ...repos].flatMap((repository_id) =>
    IDS.map((rule_id) => ({ rule_id, repository_id, value: 'disabled' })),
  );
  expect(all.length).toBeGreaterThanOrEqual(501);
  return all.slice(0, 501);
}

const REPOSITORIES = Math.ceil(501 / IDS.length);

describe('PUT /api/rule-overrides:batch', () => {
  it('sets and clears on both levels, by any member: 200', async () => {
    const { bob, team, repo } = await scene();
    const first = await apply(bob, team, [
      { rule_id: RULE, repository_id: null, value: 'disabled' },
      { rule_id: RULE, repository_id: repo, value: 'enabled' },
      { rule_id: OTHER, repository_id: repo, value: 'disabled' },
      { rule_id: OTHER, repository_id: null, value: 'inherit' },
    ]);
    expect([first.status, first.json]).toEqual([200, { applied: 4 }]);
    expect(await storedIn(team)).toEqual({
      [`${RULE} -`]: false,
      [`${RULE} ${repo}`]: true,
      [`${OTHER} ${repo}`]: false,
    });
    const second = await apply(bob, team, [
      { rule_id: RULE, repository_id: null, value: 'inherit' },
      { rule_id: RULE, repository_id: repo.toUpperCase(), value: 'disabled' },
      { rule_id: OTHER, repository_id: repo, value: 'inherit' },
    ]);
    expect([second.json, await storedIn(team)]).toEqual([{ applied: 3 }, { [`${RULE} ${repo}`]: false }]);
  });

  it('writes the same row as PUT /api/rule-settings/{rule_id}, for the personal organization by default', async () => {
    const alice = service.user();
    const body = { changes: [{ rule_id: RULE, repository_id: null, value: 'disabled' }] };
    expect((await service.call('PUT /api/rule-overrides:batch', { as: alice, body })).json).toEqual({ applied: 1 });
    const { json } = await service.call('GET /api/rule-settings', { as: alice });
    expect(json['settings']).toMatchObject([{ rule_id: RULE, enabled: false }]);
  });

  it('accepts 500 changes and rejects 501', async () => {
    const { alice, team, repos } = await scene(REPOSITORIES);
    const changes = fill(repos);
    const { status, json } = await apply(alice, team, changes);
    expect([status, json['errors'], await storedIn(team)]).toMatchObject([400, [{ path: 'changes' }], {}]);
    expect((await apply(alice, team, changes.slice(0, 500))).json).toEqual({ applied: 500 });
    expect(Object.keys(await storedIn(team))).toHaveLength(500);
  });

  it.each<[string, number, (foreign: string) => Partial<Change> & Record<string, unknown>]>([
    ['has an unknown value', 400, () => ({ value: 'on' })],
    ['has an unknown field', 400, () => ({ more: 1 })],
    ['names an unknown rule', 400, () => ({ rule_id: 'no-such-rule' })],
    ['names no uuid', 400, () => ({ repository_id: 'web' })],
    ['names an unknown repository', 404, () => ({ repository_id: randomUUID() })],
    ['names a stranger’s repository', 404, (foreign) => ({ repository_id: foreign })],
  ])('applies none of 500 changes if the 500th %s: %i', async (_, expected, spoil) => {
    const { alice, team, repos } = await scene(REPOSITORIES);
    const { repo: foreign } = await scene();
    const changes = fill(repos).slice(0, 500);
    const answer = await apply(alice, team, [...changes.slice(0, 499), { ...changes[499], ...spoil(foreign) }]);
    expect([answer.status, answer.json['code'], await storedIn(team)]).toEqual([
      expected,
      expected === 400 ? 'validation-failed' : 'not-found',
      {},
    ]);
    if (expected === 400)
      expect(String((answer.json['errors'] as { path: string }[])[0]?.path)).toMatch(/^changes\.499/);
  });

  it('answers the same for unknown and foreign repositories: 404', async () => {
    const { alice, team } = await scene();
    const change = (repository_id: string) => apply(alice, team, [{ rule_id: RULE, repository_id, value: 'disabled' }]);
    const missing = await change(randomUUID());
    expect(missing.status).toBe(404);
    const own = await addRepository(service, await createTeam(service, alice), alice);
    for (const repository of [(await scene()).repo, own]) expectSameProblem(missing, await change(repository));
  });

  it.each([
    ['the organization', 'inherit'],
    ['a repository', 'enabled'],
    ['a repository in capitals', 'disabled'],
  ])('refuses a rule named twice for %s: 400', async (which, value) => {
    const { alice, team, repo } = await scene();
    const repository_id = which === 'the organization' ? null : repo;
    const again = which === 'a repository in capitals' ? repo.toUpperCase() : repository_id;
    const { status, json } = await apply(alice, team, [
      { rule_id: RULE, repository_id, value: 'disabled' },
      { rule_id: OTHER, repository_id, value: 'disabled' },
      { rule_id: RULE, repository_id: again, value },
    ]);
    expect([status, json['errors']]).toMatchObject([400, [{ path: 'changes.2' }]]);
    expect(await storedIn(team)).toEqual({});
  });

  it.each([
    [{ changes: [] }],
    [{ changes: null }],
    [{ changes: {} }],
    [{}],
    [{ changes: [{ rule_id: 'template-injection', value: 'disabled' }] }],
    [{ changes: [{ repository_id: null, value: 'disabled' }] }],
    [{ changes: [{ rule_id: 'template-injection', repository_id: null }] }],
    [{ changes: [null] }],
    [{ changes: [{ rule_id: 'template-injection', repository_id: null, value: 'disabled' }], more: 1 }],
  ])('refuses %j: 400', async (body) => {
    const { status, json } = await service.call('PUT /api/rule-overrides:batch', { as: service.user(), body });
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
  });

  it('refuses foreign and unknown organizations alike (403), and invalid ids (400)', async () => {
    const { team, repo } = await scene();
    const eve = service.user();
    const changes = [{ rule_id: RULE, repository_id: repo, value: 'disabled' }];
    const refused = await apply(eve, team, changes);
    expect([refused.status, refused.json['code'], await storedIn(team)]).toEqual([403, 'forbidden', {}]);
    expectSameProblem(refused, await apply(eve, randomUUID(), changes));
    expect((await apply(eve, 'acme', changes)).status).toBe(400);
  });

  it('applies concurrent batches on the same rows, each as a whole', async () => {
    const { alice, team, repos } = await scene(REPOSITORIES);
    const changes = fill(repos).slice(0, 400);
    expect((await apply(alice, team, changes)).status).toBe(200);
    const batches = Array.from({ length: process.env['FULL'] === '1' ? 60 : 8 }, (_, batch) =>
      changes.map((change, index) => ({ ...change, value: (index + batch) % 2 === 0 ? 'inherit' : 'enabled' })),
    );
    const answers = await Promise.all(batches.map((batch) => apply(alice, team, batch)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(Object.keys(await storedIn(team))).toHaveLength(200);
  });
});
