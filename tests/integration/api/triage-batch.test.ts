import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import { finding, fingerprint, readCounts, scan } from '../../support/repository.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const OPERATION = 'PUT /api/findings/status:batch';
const inOneDay = () => new Date(Date.now() + 86_400_000).toISOString();

interface Scene {
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly team: string;
  readonly repos: readonly string[];
}

async function scene(repositories = 1, findings = 4): Promise<Scene> {
  const [alice, bob] = [service.user(), service.user()];
  const team = await createTeam(service, alice, bob);
  const repos: string[] = [];
  for (let count = 0; count < repositories; count += 1) {
    const repoId = await addRepository(service, team, alice);
    const repository = { orgId: team, admin: { id: alice.id, email: null }, installationId: '', repoId, scmId: '' };
    const found = Array.from({ length: findings }, (_, n) => finding(`f${n}`, { severity: 'HIGH' }));
    await scan(createAdminDb(service.database), repository, found);
    repos.push(repoId);
  }
  return { alice, bob, team, repos };
}

const triage = (as: TestUser, org: string, changes: readonly unknown[]) =>
  service.call(OPERATION, { as, query: `?org=${org}`, body: { changes } });

const change = (repo_id: string | undefined, n: number, more: object = {}) => ({
  repo_id,
  fingerprint: fingerprint(`f${n}`),
  status: 'dismissed',
  ...more,
});

const ledger = (team: string) =>
  service.database.sql(
    `select status, reason, expires_at is not null as ends, updated_by from public.finding_ledger
     where org_id = $1 and status <> 'open' order by repo_id, fingerprint`,
    [team],
  );

const events = (team: string) =>
  service.database.sql(
    `select repo_id, fingerprint, from_status, to_status, reason, actor from public.triage_events where org_id = $1
     order by created_at, id`,
    [team],
  );

describe(OPERATION, () => {
  it('applies what can be applied and answers in the order of the request', async () => {
    const { alice, bob, team, repos } = await scene(2);
    const { repos: foreign } = await scene();
    const [one, two] = repos;
    await triage(alice, team, [change(one, 2, { status: 'accepted', expires_at: inOneDay() })]);
    const { status, json } = await triage(bob, team, [
      change(two, 3, { status: 'snoozed', expires_at: inOneDay(), reason: 'Later.' }),
      change(one, 9),
      change(foreign[0], 0),
      change(one, 2, { status: 'open', if_status: 'snoozed' }),
      change(one, 0, { if_status: 'open', expires_at: { not: 'parsed' } }),
      change(randomUUID(), 0),
    ]);
    expect(status).toBe(200);
    const outcomes = ['applied', 'not-found', 'not-found', 'changed-meanwhile', 'applied', 'not-found'];
    expect(json['applied']).toBe(2);
    const results = json['results'] as Readonly<Record<string, string>>[];
    expect(results.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(results.map(({ repo_id }) => repo_id).slice(0, 2)).toEqual([two, one]);
    expect(results[1]).toEqual({ repo_id: one, fingerprint: fingerprint('f9'), outcome: 'not-found' });
    const rows = await ledger(team);
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({ status: 'snoozed', reason: 'Later.', ends: true, updated_by: bob.id });
    expect(rows).toContainEqual({ status: 'dismissed', reason: null, ends: false, updated_by: bob.id });
    expect(rows).toContainEqual({ status: 'accepted', reason: null, ends: true, updated_by: alice.id });
    const [, ...told] = await events(team);
    const by = { from_status: 'open', actor: bob.id };
    expect(told).toHaveLength(2);
    expect(told).toContainEqual({
      repo_id: two,
      fingerprint: fingerprint('f3'),
      to_status: 'snoozed',
      reason: 'Later.',
      ...by,
    });
    expect(told).toContainEqual({
      repo_id: one,
      fingerprint: fingerprint('f0'),
      to_status: 'dismissed',
      reason: null,
      ...by,
    });
  });

  it('recounts every repository it changed', async () => {
    const { alice, team, repos } = await scene(2);
    await triage(
      alice,
      team,
      repos.flatMap((repo) => [change(repo, 0), change(repo, 1)]),
    );
    for (const repo of repos) {
      const { kept, counted } = await readCounts(service.database, repo);
      expect([kept, kept.high]).toEqual([counted, 2]);
    }
  });

  it('triages in the personal organization by default', async () => {
    const alice = service.user();
    const { json } = await service.call('GET /api/orgs', { as: alice });
    const personal = (json['orgs'] as { id: string }[])[0]?.id ?? '';
    const repo = await addRepository(service, personal, alice);
    const answer = await service.call(OPERATION, { as: alice, body: { changes: [change(repo, 0)] } });
    expect(answer.json).toMatchObject({ applied: 0, results: [{ outcome: 'not-found' }] });
  });

  it('accepts 500 changes and rejects 501', async () => {
    const { alice, team, repos } = await scene(1, 501);
    const changes = Array.from({ length: 501 }, (_, n) => change(repos[0], n));
    const { status, json } = await triage(alice, team, changes);
    expect([status, json['errors'], await ledger(team)]).toMatchObject([400, [{ path: 'changes' }], []]);
    expect((await triage(alice, team, changes.slice(0, 500))).json['applied']).toBe(500);
    expect([(await ledger(team)).length, (await events(team)).length]).toEqual([500, 500]);
  });

  it.each<[string, object, string]>([
    ['an unknown status', { status: 'ignored' }, 'changes.1.status'],
    ['an unknown if_status', { if_status: 'new' }, 'changes.1.if_status'],
    ['no uuid', { repo_id: 'web' }, 'changes.1.repo_id'],
    ['no fingerprint', { fingerprint: undefined }, 'changes.1.fingerprint'],
    ['an unknown field', { more: 1 }, 'changes.1'],
    ['a reason of 2,001 characters', { reason: 'x'.repeat(2001) }, 'changes.1.reason'],
    ['no end', { status: 'accepted' }, 'changes.1.expires_at'],
    ['an end in the past', { status: 'snoozed', expires_at: '2020-01-01T00:00:00Z' }, 'changes.1.expires_at'],
    ['a finding named twice', { fingerprint: fingerprint('f0') }, 'changes.1'],
  ])('changes nothing if one change has %s: 400 with its index', async (_, spoil, path) => {
    const { alice, team, repos } = await scene();
    const answer = await triage(alice, team, [change(repos[0], 0), change(repos[0], 1, spoil), change(repos[0], 2)]);
    expect([answer.status, answer.json['code']]).toEqual([400, 'validation-failed']);
    expect((answer.json['errors'] as { path: string }[])[0]?.path).toBe(path);
    expect(await ledger(team)).toEqual([]);
  });

  it('knows a finding named twice by another case of its repository: 400', async () => {
    const { alice, team, repos } = await scene();
    const again = change(repos[0]?.toUpperCase(), 0);
    expect((await triage(alice, team, [change(repos[0], 0), again])).status).toBe(400);
    expect((await triage(alice, team, [again])).json['applied']).toBe(1);
  });

  it.each([{ changes: [] }, { changes: null }, { changes: {} }, {}, { changes: [null] }, { changes: [{}] }])(
    'refuses %j: 400',
    async (body) => {
      const { status, json } = await service.call(OPERATION, { as: service.user(), body });
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    },
  );

  it('checks shapes before membership, and refuses foreign and unknown organizations alike: 403', async () => {
    const { team, repos } = await scene();
    const eve = service.user();
    expect((await triage(eve, team, [change(repos[0], 0, { status: 'accepted' })])).status).toBe(400);
    const refused = await triage(eve, team, [change(repos[0], 0)]);
    expect([refused.status, refused.json['code'], await ledger(team)]).toEqual([403, 'forbidden', []]);
    expectSameProblem(refused, await triage(eve, randomUUID(), [change(repos[0], 0)]));
  });

  it('applies each finding once for 20 concurrent callers, in whatever order they name them', async () => {
    const { alice, team, repos } = await scene(3, 10);
    const all = repos.flatMap((repo) => Array.from({ length: 10 }, (_, n) => change(repo, n, { if_status: 'open' })));
    const callers = Array.from({ length: 20 }, (_, n) => {
      const turned = [...all.slice(n), ...all.slice(0, n)];
      return triage(alice, team, n % 2 === 0 ? turned : turned.reverse());
    });
    const answers = await Promise.all(callers);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, { json }) => sum + Number(json['applied']), 0)).toBe(30);
    expect((await events(team)).length).toBe(30);
    for (const repo of repos) {
      const { kept, counted } = await readCounts(service.database, repo);
      expect([kept, kept.high]).toEqual([counted, 0]);
    }
  });
});
