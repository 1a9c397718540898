import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as campaigns from '#lib/db/queries/campaigns.ts';
import type { CampaignView } from '#lib/db/shapes/campaigns.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import {
  addRepositories,
  finding,
  fingerprint,
  join,
  listed,
  makeTeam,
  scan,
  type TestRepository,
} from '../../support/repository.ts';

const QUARTER = 15 * 60;

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

interface Scene {
  readonly campaignId: string;
  readonly adminId: string;
  readonly rows: readonly TestRepository[];
}

async function scene(count = 1): Promise<Scene> {
  const team = await makeTeam(db);
  const rows = await addRepositories(
    db,
    team,
    Array.from({ length: count }, () => listed()),
  );
  const repoIds = rows.map(({ repoId }) => repoId);
  const made = await campaigns.create(db, team.admin.id, { orgId: team.orgId, ruleset: 'all', repoIds });
  return { campaignId: made.campaign.id, adminId: team.admin.id, rows };
}

const keyOf = ({ campaignId, rows }: Scene, at = 0) => ({ campaignId, repoId: rows[at]?.repoId ?? '' });

const claim = (given: Scene, at = 0) => campaigns.claim(db, given.adminId, null, keyOf(given, at), QUARTER);

const finish = async (given: Scene, attempt: number, error: string | null = null, at = 0) =>
  campaigns.finish(db, { ...keyOf(given, at), attempt }, error === null ? 'succeeded' : 'failed', error);

const read = ({ adminId, campaignId }: Scene): Promise<CampaignView> => campaigns.get(db, adminId, campaignId);

const statusOf = async (given: Scene, at = 0) => {
  const { campaign, repos } = await read(given);
  return [campaign.status, repos.find(({ repo_id }) => repo_id === keyOf(given, at).repoId)?.status];
};

const age = ({ campaignId }: Scene, seconds: number) =>
  database.sql(
    `update public.campaign_repos set started_at = now() - make_interval(secs => $2) where campaign_id = $1`,
    [campaignId, seconds],
  );

let lastNumber = 0;
function pullRequest(more: Partial<campaigns.OpenedPullRequest> = {}): campaigns.OpenedPullRequest {
  const number = (lastNumber += 1);
  return {
    file: '.github/workflows/ci.yml',
    number,
    url: `https://code.example/acme/r/pull/${number}`,
    branch: 'chainbreak/fix-ci',
    rule_ids: ['unpinned-uses'],
    fingerprints: [fingerprint('a')],
    reused: false,
    opened_at: new Date().toISOString(),
    ...more,
  };
}

const refusedAs = (code: string) => ({ code });

describe('a row of a campaign', () => {
  it('pending → running: a claim succeeds, and the campaign runs', async () => {
    const given = await scene(2);
    expect(await statusOf(given)).toEqual(['pending', 'pending']);
    const { attempt, ruleset, target } = await claim(given);
    expect([attempt, ruleset, target]).toEqual([
      1,
      'all',
      expect.objectContaining({ repo_id: given.rows[0]?.repoId, scm_id: given.rows[0]?.scmId, triaged: [] }),
    ]);
    expect([await statusOf(given), await statusOf(given, 1)]).toEqual([
      ['running', 'running'],
      ['running', 'pending'],
    ]);
  });

  it('running → succeeded, and the campaign is completed with its last row', async () => {
    const given = await scene(2);
    const [first, second] = [await claim(given), await claim(given, 1)];
    const row = await finish(given, first.attempt);
    expect(row).toMatchObject({ status: 'succeeded', error: null, prs_opened: 0, pull_requests: [] });
    expect(Date.parse(row.finished_at ?? '')).toBeGreaterThanOrEqual(Date.parse(row.started_at ?? ''));
    expect(await statusOf(given)).toEqual(['running', 'succeeded']);
    await finish(given, second.attempt, 'The code host failed.', 1);
    expect(await statusOf(given, 1)).toEqual(['completed', 'failed']);
  });

  it('failed → running: a retry returns the campaign to running and forgets the error', async () => {
    const given = await scene();
    await finish(given, (await claim(given)).attempt, 'The code host failed.');
    expect(await statusOf(given)).toEqual(['completed', 'failed']);
    expect((await claim(given)).attempt).toBe(2);
    expect(await statusOf(given)).toEqual(['running', 'running']);
    expect((await read(given)).repos).toMatchObject([{ error: null, finished_at: null }]);
  });

  it('running → unchanged: a second claim is 409 already-running', async () => {
    const given = await scene();
    await claim(given);
    await expect(claim(given)).rejects.toMatchObject(refusedAs('already-running'));
    await age(given, QUARTER - 5);
    await expect(claim(given)).rejects.toMatchObject(refusedAs('already-running'));
    expect(await statusOf(given)).toEqual(['running', 'running']);
  });

  it('running → running: a claim of more than 15 minutes is free, and its holder changes nothing any more', async () => {
    const given = await scene();
    const { attempt: late } = await claim(given);
    await age(given, QUARTER + 5);
    const { attempt } = await claim(given);
    const held = { ...keyOf(given), attempt: late };
    await expect(finish(given, late)).rejects.toMatchObject(refusedAs('already-running'));
    await expect(campaigns.recordPullRequests(db, held, [pullRequest()])).rejects.toMatchObject(
      refusedAs('already-running'),
    );
    expect((await read(given)).repos).toMatchObject([{ status: 'running', pull_requests: [] }]);
    expect(await finish(given, attempt)).toMatchObject({ status: 'succeeded' });
    await expect(finish(given, late)).rejects.toMatchObject(refusedAs('already-running'));
  });

  it.each([
    ['succeeded', null],
    ['Partial', 'One file failed.'],
  ])('%s → unchanged: a claim is 409 already-finished', async (_, error) => {
    const given = await scene();
    const { attempt } = await claim(given);
    await campaigns.finish(db, { ...keyOf(given), attempt }, 'succeeded', error);
    const before = await read(given);
    await expect(claim(given)).rejects.toMatchObject(refusedAs('already-finished'));
    await age(given, 10 * QUARTER);
    await expect(claim(given)).rejects.toMatchObject(refusedAs('already-finished'));
    expect((await read(given)).campaign).toEqual(before.campaign);
  });

  it('a result sent twice is stored once', async () => {
    const given = await scene();
    const { attempt } = await claim(given);
    const first = await finish(given, attempt, 'The code host failed.');
    expect(await finish(given, attempt)).toEqual(first);
  });

  it('goes to one of twenty callers, whether pending, failed or stale', async () => {
    const given = await scene();
    const race = async () => {
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => claim(given)));
      const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.attempt] : []));
      const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
      expect(lost).toEqual(Array(19).fill('already-running'));
      return won;
    };
    expect(await race()).toEqual([1]);
    await age(given, QUARTER + 5);
    expect(await race()).toEqual([2]);
    await finish(given, 2, 'The code host failed.');
    expect(await race()).toEqual([3]);
  });

  it('a campaign whose rows end at the same time is completed', async () => {
    const given = await scene(20);
    await Promise.all(given.rows.map(async (_, at) => finish(given, (await claim(given, at)).attempt, null, at)));
    const { campaign, rollup } = await read(given);
    expect([campaign.status, rollup.succeeded]).toEqual(['completed', 20]);
  });
});

describe('a claim', () => {
  it('is refused to members, and as missing to others', async () => {
    const given = await scene();
    const [row] = given.rows;
    const member = await join(db, row as TestRepository);
    const other = await makeTeam(db);
    const as = (userId: string, key = keyOf(given), orgId: string | null = null) =>
      campaigns.claim(db, userId, orgId, key, QUARTER);
    await expect(as(member.id)).rejects.toMatchObject(refusedAs('forbidden'));
    await expect(as(other.admin.id)).rejects.toMatchObject(refusedAs('not-found'));
    await expect(as(given.adminId, keyOf(given), other.orgId)).rejects.toMatchObject(refusedAs('not-found'));
    await expect(as(given.adminId, { ...keyOf(given), repoId: randomUUID() })).rejects.toMatchObject(
      refusedAs('not-found'),
    );
    await expect(as(given.adminId, { ...keyOf(given), campaignId: randomUUID() })).rejects.toMatchObject(
      refusedAs('not-found'),
    );
    expect(await statusOf(given)).toEqual(['pending', 'pending']);
  });

  it('names the rules that are off there and the findings that somebody decided about', async () => {
    const given = await scene();
    const [row] = given.rows as [TestRepository];
    await scan(db, row, [finding('a'), finding('b')]);
    await database.sql(
      `update public.finding_ledger set status = 'dismissed' where repo_id = $1 and fingerprint = $2`,
      [row.repoId, fingerprint('b')],
    );
    await database.sql(
      `insert into public.rule_overrides (org_id, repo_id, rule_id, enabled, updated_by) values ($1, $2, 'missing-timeout', false, $3)`,
      [row.orgId, row.repoId, given.adminId],
    );
    expect((await claim(given)).target).toMatchObject({
      disabled_rules: ['missing-timeout'],
      triaged: [fingerprint('b')],
    });
  });

  it('has no target once the repository left the installation', async () => {
    const given = await scene();
    await database.sql('update public.repositories set removed_at = now() where id = $1', [keyOf(given).repoId]);
    expect((await claim(given)).target).toBeNull();
  });
});

describe('pull requests', () => {
  it('are stored while the row runs, once, and counted by file', async () => {
    const given = await scene();
    const held = { ...keyOf(given), attempt: (await claim(given)).attempt };
    const [first, again, other] = [pullRequest(), pullRequest(), pullRequest({ file: '.github/workflows/cd.yml' })];
    for (const each of [first, first, again, other]) await campaigns.recordPullRequests(db, held, [each]);
    const { repos, rollup } = await read(given);
    expect(repos).toMatchObject([
      {
        status: 'running',
        prs_opened: 2,
        pull_requests: [other, first, again].map(({ file, number, url }) => ({
          file,
          number,
          url,
          state: 'open',
          reused: false,
        })),
      },
    ]);
    expect(rollup).toMatchObject({ running: 1, prs_opened: 2, prs_merged: 0, prs_verified: 0 });
  });

  it('of an earlier campaign belong to both', async () => {
    const given = await scene();
    const [row] = given.rows as [TestRepository];
    const opened = pullRequest();
    await campaigns.recordPullRequests(db, { ...keyOf(given), attempt: (await claim(given)).attempt }, [opened]);
    const second = await campaigns.create(db, given.adminId, {
      orgId: row.orgId,
      ruleset: 'owasp',
      repoIds: [row.repoId],
    });
    const next = { ...given, campaignId: second.campaign.id };
    const held = { ...keyOf(next), attempt: (await claim(next)).attempt };
    await campaigns.recordPullRequests(db, held, [{ ...opened, reused: true }]);
    const shown = async (each: Scene) => (await read(each)).repos[0]?.pull_requests.map(({ reused }) => reused);
    expect([await shown(given), await shown(next)]).toEqual([[false], [true]]);
    const rows = await database.sql<{ campaign_id: string }>(
      'select campaign_id from public.fix_pull_requests where repo_id = $1',
      [row.repoId],
    );
    expect(rows).toEqual([{ campaign_id: given.campaignId }]);
  });

  it('stay reported as opened by the attempt that died after opening them', async () => {
    const given = await scene();
    const opened = pullRequest();
    await campaigns.recordPullRequests(db, { ...keyOf(given), attempt: (await claim(given)).attempt }, [opened]);
    await age(given, QUARTER + 5);
    const held = { ...keyOf(given), attempt: (await claim(given)).attempt };
    await campaigns.recordPullRequests(db, held, [{ ...opened, reused: true }]);
    const row = await finish(given, held.attempt);
    expect(row).toMatchObject({ prs_opened: 1, pull_requests: [{ number: opened.number, reused: false }] });
  });
});

describe('a rollup', () => {
  it('has five states that add up to the total, and the view shows the same', async () => {
    const given = await scene(5);
    await claim(given, 1);
    await finish(given, (await claim(given, 2)).attempt, null, 2);
    await finish(given, (await claim(given, 3)).attempt, 'The code host failed.', 3);
    const { attempt } = await claim(given, 4);
    await campaigns.finish(db, { ...keyOf(given, 4), attempt }, 'succeeded', 'One file failed.');
    const { rollup } = await read(given);
    expect(rollup).toEqual({
      total: 5,
      pending: 1,
      running: 1,
      succeeded: 1,
      partial: 1,
      failed: 1,
      prs_opened: 0,
      prs_merged: 0,
      prs_verified: 0,
    });
    const [row] = await database.sql('select * from public.campaign_rollups where id = $1', [given.campaignId]);
    expect(row).toMatchObject({ ...rollup, status: 'running', ruleset: 'all', created_by: given.adminId });
  });
});
