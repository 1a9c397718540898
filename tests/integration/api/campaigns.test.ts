import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignRuleset } from '#lib/db/shapes/campaigns.ts';
import { RULESETS } from '#lib/scanner/engine/rulesets.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { addRepository, createTeam, expectSameProblem, personalOrgOf } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ SCM_WEBHOOK_SECRET: 'secret-of-the-webhook' });
});

afterAll(() => service?.stop());

async function scene(count = 1) {
  const [alice, bob] = [service.user(), service.user()];
  const team = await createTeam(service, alice, bob);
  const repos: string[] = [];
  for (let n = 0; n < count; n += 1) repos.push(await addRepository(service, team, alice));
  return { alice, bob, team, repos };
}

const create = (as: TestUser, org: string | undefined, body: unknown) =>
  service.call('POST /api/campaigns', { as, body, ...(org === undefined ? {} : { query: `?org=${org}` }) });

const read = (as: TestUser, campaign: unknown) =>
  service.call('GET /api/campaigns/{campaign_id}', { as, params: { campaign_id: String(campaign) } });

const countOf = async (org: string) =>
  (
    await service.database.sql<{ campaigns: number; rows: number }>(
      `select (select count(*)::integer from public.campaigns where org_id = $1) as campaigns,
         (select count(*)::integer from public.campaign_repos where org_id = $1) as rows`,
      [org],
    )
  )[0];

const NONE = { campaigns: 0, rows: 0 };

describe('POST /api/campaigns', () => {
  it('answers 201 with the campaign, its repositories by name, all pending, and the totals', async () => {
    const { alice, team, repos } = await scene(3);
    const { status, json } = await create(alice, team, { ruleset: 'slsa-build-l2', repo_ids: repos });
    expect(status).toBe(201);
    expect(json['campaign']).toEqual({
      id: expect.any(String),
      org_id: team,
      ruleset: 'slsa-build-l2',
      status: 'pending',
      created_by: alice.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const rows = json['repos'] as readonly { readonly repo_id: string; readonly full_name: string }[];
    expect(rows.map(({ repo_id }) => repo_id).sort()).toEqual([...repos].sort());
    const names = rows.map(({ full_name }) => full_name);
    expect(names).toEqual([...names].sort());
    const pending = { status: 'pending', prs_opened: 0, error: null, pull_requests: [] };
    for (const row of rows) expect(row).toMatchObject({ ...pending, started_at: null, finished_at: null });
    const none = { running: 0, succeeded: 0, partial: 0, failed: 0, prs_opened: 0, prs_merged: 0, prs_verified: 0 };
    expect(json['rollup']).toEqual({ total: 3, pending: 3, ...none });
  });

  it('takes the ten rulesets of the scanner and no other', async () => {
    const { alice, team, repos } = await scene();
    expect(CampaignRuleset.options).toEqual(RULESETS);
    expect(RULESETS).toHaveLength(10);
    for (const ruleset of RULESETS) {
      const { status, json } = await create(alice, team, { ruleset, repo_ids: repos });
      expect([status, (json['campaign'] as { ruleset: string }).ruleset]).toEqual([201, ruleset]);
    }
    for (const ruleset of ['OWASP', 'slsa-build-l4', '', null, undefined, ['all'], 'unpinned-uses']) {
      const { status, json } = await create(alice, team, { ruleset, repo_ids: repos });
      expect([status, json['code']]).toEqual([400, 'validation-failed']);
    }
    expect(await countOf(team)).toEqual({ campaigns: 10, rows: 10 });
  });

  it('takes 1 to 500 repositories, one named twice once', async () => {
    const { alice, team, repos } = await scene();
    const [repo = ''] = repos;
    const others = Array.from({ length: 499 }, () => randomUUID());
    const full = await create(alice, team, { ruleset: 'all', repo_ids: [repo, ...others] });
    expect([full.status, (full.json['repos'] as unknown[]).length]).toEqual([201, 1]);
    const twice = await create(alice, team, { ruleset: 'all', repo_ids: [repo, repo.toUpperCase(), repo] });
    expect([twice.status, (twice.json['repos'] as unknown[]).length]).toEqual([201, 1]);
    const before = await countOf(team);
    for (const repo_ids of [[], [repo, repo, ...others], [repo, 'x'], [repo, null], repo, undefined]) {
      expect((await create(alice, team, { ruleset: 'all', repo_ids })).status).toBe(400);
    }
    expect((await create(alice, team, { ruleset: 'all', repo_ids: repos, rule_id: 'x' })).status).toBe(400);
    expect(await countOf(team)).toEqual(before);
  });

  it('skips repositories outside the organization and removed ones', async () => {
    const { alice, team, repos } = await scene(3);
    const personal = await addRepository(service, await personalOrgOf(service, alice), alice);
    const foreign = (await scene()).repos;
    const [own, removed, uninstalled] = repos;
    await service.database.sql('update public.repositories set removed_at = now() where id = $1', [removed]);
    await service.database.sql(
      `update public.installations set removed_at = now()
       where installation_id = (select installation_id from public.repositories where id = $1)`,
      [uninstalled],
    );
    const repo_ids = [...repos, personal, ...foreign, randomUUID()];
    const { status, json } = await create(alice, team, { ruleset: 'all', repo_ids });
    expect([status, (json['repos'] as { repo_id: string }[]).map(({ repo_id }) => repo_id)]).toEqual([201, [own]]);
  });

  it('stores nothing if no repository is left: 400', async () => {
    const { alice, team } = await scene();
    const foreign = (await scene()).repos;
    const { status, json } = await create(alice, team, { ruleset: 'all', repo_ids: [...foreign, randomUUID()] });
    expect([status, json['code'], await countOf(team)]).toEqual([400, 'validation-failed', NONE]);
  });

  it('is for admins: a member gets 403 and stores nothing, a stranger the 403 of an unknown organization', async () => {
    const { alice, bob, team, repos } = await scene();
    const body = { ruleset: 'all', repo_ids: repos };
    const member = await create(bob, team, body);
    expect([member.status, member.json['code']]).toEqual([403, 'forbidden']);
    const stranger = service.user();
    expectSameProblem(await create(stranger, team, body), await create(stranger, randomUUID(), body));
    expect((await create(stranger, team, body)).status).toBe(403);
    expect(await countOf(team)).toEqual(NONE);
    await service.database.sql(`update public.org_members set role = 'member' where org_id = $1`, [team]);
    expect((await create(alice, team, body)).status).toBe(403);
  });

  it('is about the personal organization by default', async () => {
    const alice = service.user();
    const personal = await personalOrgOf(service, alice);
    const repo = await addRepository(service, personal, alice);
    const { status, json } = await create(alice, undefined, { ruleset: 'owasp', repo_ids: [repo] });
    expect([status, (json['campaign'] as { org_id: string }).org_id]).toEqual([201, personal]);
  });
});

describe('GET /api/campaigns/{campaign_id}', () => {
  it('answers any member what creating it answered', async () => {
    const { alice, bob, team, repos } = await scene(2);
    const made = await create(alice, team, { ruleset: 'all', repo_ids: repos });
    const { id } = made.json['campaign'] as { id: string };
    for (const user of [alice, bob]) {
      const { status, json } = await read(user, id);
      expect([status, json]).toEqual([200, made.json]);
    }
  });

  it('answers 404 to others, the same as for an unknown or malformed id', async () => {
    const { alice, team, repos } = await scene();
    const made = await create(alice, team, { ruleset: 'all', repo_ids: repos });
    const { id } = made.json['campaign'] as { id: string };
    const stranger = service.user();
    const answer = await read(stranger, id);
    expect([answer.status, answer.json['code']]).toEqual([404, 'not-found']);
    expectSameProblem(answer, await read(stranger, randomUUID()));
    expectSameProblem(answer, await read(alice, 'x'));
  });

  it('looks at the campaign’s organization only, whatever the query says', async () => {
    const { alice, team, repos } = await scene();
    const made = await create(alice, team, { ruleset: 'all', repo_ids: repos });
    const params = { campaign_id: (made.json['campaign'] as { id: string }).id };
    const query = `?org=${await personalOrgOf(service, alice)}`;
    const { status } = await service.call('GET /api/campaigns/{campaign_id}', { as: alice, params, query });
    expect(status).toBe(200);
  });
});

describe('without a webhook secret', () => {
  it('prs_verified is absent, not 0, when a campaign is made and read', async () => {
    const silent = await startService();
    const alice = silent.user();
    const team = await createTeam(silent, alice);
    const repo = await addRepository(silent, team, alice);
    const body = { ruleset: 'all', repo_ids: [repo] };
    const made = await silent.call('POST /api/campaigns', { as: alice, query: `?org=${team}`, body });
    const params = { campaign_id: (made.json['campaign'] as { id: string }).id };
    const again = await silent.call('GET /api/campaigns/{campaign_id}', { as: alice, params });
    for (const { json } of [made, again]) {
      expect(json['rollup']).toHaveProperty('prs_merged', 0);
      expect(json['rollup']).not.toHaveProperty('prs_verified');
    }
  });
});
