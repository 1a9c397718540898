import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { type Catalog, digest, readCatalog } from '../../support/catalog.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import {
  addRepositories,
  finding,
  join,
  link,
  listed,
  makeRepository,
  makeTeam,
  person,
  scan,
  type Team,
} from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;
let catalog: Catalog;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
  catalog = await readCatalog(database);
});

afterAll(() => database?.stop());

type Listed = ReturnType<typeof listed>;

async function sync(
  team: Team,
  answers: readonly (readonly [installation: string, found: readonly Listed[]])[],
  gone: readonly string[] = [],
): Promise<readonly string[]> {
  const answer = answers.map(([id, found]) => ({ installation_id: id, repositories: found }));
  const rows = await repositories.sync(db, team.admin.id, team.orgId, { listed: answer, gone });
  return rows.map(({ full_name: name }) => name);
}

const idOf = async (team: Team, { scm_id: scmId }: Listed) => {
  const [row] = await database.sql<{ id: string }>(
    'select id from public.repositories where org_id = $1 and scm_id = $2',
    [team.orgId, scmId],
  );
  return row?.id ?? '';
};

describe('a listed repository', () => {
  it('belongs to the organization, sorted by name, however often it is listed', async () => {
    const team = await makeTeam(db);
    const [b, a] = [listed({ full_name: 'acme/b' }), listed({ full_name: 'acme/A' })];
    expect(await sync(team, [[team.installationId, [b, a]]])).toEqual(['acme/A', 'acme/b']);
    const before = await digest(database, catalog);
    expect(await sync(team, [[team.installationId, [a, b]]])).toEqual(['acme/A', 'acme/b']);
    expect(await digest(database, catalog)).toBe(before);
  });

  it('keeps its row when renamed, published or archived', async () => {
    const team = await makeTeam(db);
    const old = listed();
    await sync(team, [[team.installationId, [old]]]);
    const id = await idOf(team, old);
    const changed = { ...old, full_name: 'acme/renamed', private: false, archived: true, default_branch: null };
    expect(await sync(team, [[team.installationId, [changed]]])).toEqual(['acme/renamed']);
    const [row] = await database.sql('select * from public.repositories where id = $1', [id]);
    expect(row).toMatchObject({ full_name: 'acme/renamed', private: false, archived: true, default_branch: null });
  });

  it('that disappears is marked removed, keeps its history, and returns to the same row', async () => {
    const team = await makeTeam(db);
    const [stays, goes] = [listed(), listed()];
    await sync(team, [[team.installationId, [stays, goes]]]);
    const repoId = await idOf(team, goes);
    const repository = { ...team, repoId, scmId: goes.scm_id };
    await scan(db, repository, [finding('a')]);
    expect(await sync(team, [[team.installationId, [stays]]])).toEqual([stays.full_name]);
    await expect(scans.getTarget(db, team.admin.id, repoId)).rejects.toMatchObject({ code: 'not-found' });
    await expect(repositories.setMonitored(db, team.admin.id, repoId, true)).rejects.toMatchObject({
      code: 'not-found',
    });
    const kept = await database.sql('select 1 from public.findings where repo_id = $1', [repoId]);
    expect(kept).toHaveLength(1);
    expect(await sync(team, [[team.installationId, [stays, goes]]])).toHaveLength(2);
    expect((await scans.getTarget(db, team.admin.id, repoId)).last_scan).not.toBeNull();
  });

  it('stays if its installation did not answer', async () => {
    const team = await makeTeam(db);
    const other = await link(db, team);
    const [one, two] = [listed({ full_name: 'acme/one' }), listed({ full_name: 'acme/two' })];
    await sync(team, [
      [team.installationId, [one]],
      [other, [two]],
    ]);
    expect(await sync(team, [[other, []]])).toEqual(['acme/one']);
  });

  it('is removed with its installation, and returns with it', async () => {
    const team = await makeTeam(db);
    const repository = listed();
    await sync(team, [[team.installationId, [repository]]]);
    expect(await sync(team, [], [team.installationId])).toEqual([]);
    expect(await repositories.listInstallations(db, team.admin.id, team.orgId)).toEqual([]);
    const repoId = await idOf(team, repository);
    await expect(scans.getTarget(db, team.admin.id, repoId)).rejects.toMatchObject({ code: 'not-found' });
    const again = { installation_id: team.installationId, account: 'acme', account_type: 'Organization' } as const;
    await repositories.linkInstallation(db, team.admin.id, team.orgId, again);
    expect(await sync(team, [])).toEqual([repository.full_name]);
  });

  it('that moves between installations exists once, also while both list it', async () => {
    const team = await makeTeam(db);
    const other = await link(db, team);
    const repository = listed();
    await sync(team, [[team.installationId, [repository]]]);
    const id = await idOf(team, repository);
    const answers = [
      [team.installationId, [repository]],
      [other, [repository]],
    ] as const;
    expect(await sync(team, answers)).toEqual([repository.full_name]);
    expect(
      await sync(team, [
        [team.installationId, []],
        [other, [repository]],
      ]),
    ).toEqual([repository.full_name]);
    expect(await idOf(team, repository)).toBe(id);
    expect((await scans.getTarget(db, team.admin.id, id)).installation_id).toBe(other);
  });

  it('is stored with all others or not at all', async () => {
    const team = await makeTeam(db);
    const good = listed();
    await sync(team, [[team.installationId, [good]]]);
    const before = await digest(database, catalog);
    const bad = listed({ scm_id: 'not a number' });
    await expect(sync(team, [[team.installationId, [listed(), bad]]])).rejects.toThrow('refused a call');
    await expect(sync(team, [[String(randomInt(1e6)), [listed()]]])).rejects.toThrow('refused a call');
    expect(await digest(database, catalog)).toBe(before);
  });

  it('in two organizations has separate rows', async () => {
    const [one, two] = [await makeTeam(db), await makeTeam(db)];
    const repository = listed();
    await sync(one, [[one.installationId, [repository]]]);
    await sync(two, [[two.installationId, [repository]]]);
    expect(await sync(one, [[one.installationId, []]])).toEqual([]);
    expect(await sync(two, [])).toEqual([repository.full_name]);
    await expect(
      repositories.sync(db, one.admin.id, two.orgId, { listed: [], gone: [two.installationId] }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is stored once by concurrent syncs', async () => {
    const team = await makeTeam(db);
    const found = Array.from({ length: 40 }, () => listed());
    const orders = Array.from({ length: 12 }, (_, turn) => (turn % 2 ? found : [...found].reverse()));
    const answers = await Promise.all(orders.map((order) => sync(team, [[team.installationId, order]])));
    expect(new Set(answers.map((names) => names.join())).size).toBe(1);
    expect(answers[0]).toHaveLength(40);
  });
});

describe('a departing member', () => {
  const monitors = (repoIds: readonly string[]) =>
    database.sql<{ monitored: boolean; by: string | null }>(
      'select monitored, monitored_by as by from public.repositories where id = any ($1::uuid[]) order by id',
      [`{${repoIds.join()}}`],
    );

  it('hands monitored repositories to the removing admin, else to the longest member', async () => {
    const team = await makeTeam(db);
    const second = await join(db, team, 'admin');
    const members = [await join(db, team), await join(db, team)];
    const rows = await addRepositories(db, team, [listed(), listed(), listed()]);
    const [one, two, three] = rows.map(({ repoId }) => repoId);
    await repositories.setMonitored(db, members[0]?.id ?? '', one ?? '', true);
    await repositories.setMonitored(db, members[1]?.id ?? '', two ?? '', true);
    await organizations.removeMember(db, second.id, team.orgId, members[0]?.id ?? '');
    await organizations.removeMember(db, members[1]?.id ?? '', team.orgId, members[1]?.id ?? '');
    expect(await monitors([one ?? ''])).toEqual([{ monitored: true, by: second.id }]);
    expect(await monitors([two ?? ''])).toEqual([{ monitored: true, by: team.admin.id }]);
    expect(await monitors([three ?? ''])).toEqual([{ monitored: false, by: null }]);
  });

  it('keeps monitoring in other organizations', async () => {
    const [one, two] = [await makeRepository(db), await makeRepository(db)];
    const who = person();
    for (const { orgId } of [one, two]) {
      await database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
        orgId,
        who.id,
      ]);
    }
    await repositories.setMonitored(db, who.id, one.repoId, true);
    await repositories.setMonitored(db, who.id, two.repoId, true);
    await organizations.removeMember(db, one.admin.id, one.orgId, who.id);
    expect(await monitors([two.repoId])).toEqual([{ monitored: true, by: who.id }]);
    expect(await scans.listPushTargets(db, one.scmId)).toMatchObject([{ user_id: one.admin.id }]);
  });

  it('never ends up monitoring in concurrent changes, and nothing deadlocks', { timeout: 120_000 }, async () => {
    const team = await makeTeam(db);
    const found = Array.from({ length: 10 }, () => listed());
    const rows = await addRepositories(db, team, found);
    const installation = await database.sql<{ id: string }>(
      'select distinct installation_id::text as id from public.repositories where org_id = $1',
      [team.orgId],
    );
    for (let round = 0; round < 6; round += 1) {
      const leaver = await join(db, team);
      const answers = await Promise.allSettled([
        ...rows.map(({ repoId }) => repositories.setMonitored(db, leaver.id, repoId, true)),
        organizations.removeMember(db, leaver.id, team.orgId, leaver.id),
        sync(team, [[installation[0]?.id ?? '', round % 2 ? [...found].reverse() : found]]),
        ...rows.slice(5).map(({ repoId }) => repositories.setMonitored(db, leaver.id, repoId, false)),
      ]);
      const failed = answers.flatMap((answer) =>
        answer.status === 'rejected' ? [(answer.reason as Error).message] : [],
      );
      expect(failed.filter((message) => message !== 'There is no such repository.')).toEqual([]);
      expect((await monitors(rows.map(({ repoId }) => repoId))).filter(({ by }) => by === leaver.id)).toEqual([]);
    }
  });
});
