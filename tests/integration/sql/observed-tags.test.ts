import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import { makeRepository, prepareScan, scan, type TestRepository } from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

const commit = (digit: string) => digit.repeat(40);
const tag = (name: string, names: string | null = commit('1'), action = 'acme/deploy'): scans.UsedTag => ({
  action,
  tag: name,
  commit: names,
});
const look = (repository: TestRepository, observed_tags: readonly scans.UsedTag[] | null) =>
  scan(db, repository, [], { observed_tags });
const observed = async ({ admin, repoId }: TestRepository) => {
  const { observed_tags: rows } = await scans.getTarget(db, admin.id, repoId);
  return rows.map(({ action, tag, commit }) => `${action}@${tag} ${commit.slice(0, 1)}`);
};
const age = ({ repoId }: TestRepository, name: string, interval: string) =>
  database.sql(
    `update public.observed_tags set last_used_at = last_used_at - $3::interval where repo_id = $1 and tag = $2`,
    [repoId, name, interval],
  );

describe('an observed release tag', () => {
  it('is returned to the next scan with its first commit and time', async () => {
    const repository = await makeRepository(db);
    expect(await observed(repository)).toEqual([]);
    const before = Date.now();
    await look(repository, [tag('v1.2.0'), tag('v1.2.0', commit('5'), 'acme/build')]);
    const [first] = (await scans.getTarget(db, repository.admin.id, repository.repoId)).observed_tags;
    expect(first).toMatchObject({ action: 'acme/build', tag: 'v1.2.0', commit: commit('5') });
    expect(Math.abs(Date.parse(first?.at ?? '') - before)).toBeLessThan(60_000);
    await look(repository, [tag('v1.2.0', commit('2')), tag('v1.3.0', commit('3'))]);
    expect(await observed(repository)).toEqual(['acme/build@v1.2.0 5', 'acme/deploy@v1.2.0 1', 'acme/deploy@v1.3.0 3']);
  });

  it('stays after the tag is deleted; a missing tag is not stored', async () => {
    const repository = await makeRepository(db);
    await look(repository, [tag('v1.0.0'), tag('v9.9.9', null)]);
    await look(repository, [tag('v1.0.0', null), tag('v9.9.9', null)]);
    expect(await observed(repository)).toEqual(['acme/deploy@v1.0.0 1']);
  });

  it('is not written by an overtaken scan', async () => {
    const repository = await makeRepository(db);
    const late = await prepareScan(db, repository, [], { observed_tags: [tag('v1.0.0', commit('7'))] });
    await look(repository, [tag('v1.0.0')]);
    expect(await scans.persist(db, late)).toBeNull();
    expect(await observed(repository)).toEqual(['acme/deploy@v1.0.0 1']);
  });

  it('is stored per organization, and deleted with the repository', async () => {
    const [one, two] = [await makeRepository(db), await makeRepository(db)];
    await database.sql('update public.repositories set scm_id = $1 where id = $2', [one.scmId, two.repoId]);
    await database.sql('update public.repositories set monitored = true, monitored_by = user_id where scm_id = $1', [
      one.scmId,
    ]);
    await look(one, [tag('v1.0.0')]);
    expect(await observed(two)).toEqual([]);
    await look(two, [tag('v1.0.0', commit('2'))]);
    const targets = (await scans.listPushTargets(db, one.scmId)) ?? [];
    const told = targets.map(({ repo_id, observed_tags }) => [repo_id, observed_tags.map(({ commit }) => commit)]);
    expect(Object.fromEntries(told)).toEqual({ [one.repoId]: [commit('1')], [two.repoId]: [commit('2')] });
    await database.sql('delete from public.organizations where id = $1', [one.orgId]);
    const left = await database.sql('select repo_id from public.observed_tags where repo_id = any ($1)', [
      `{${one.repoId},${two.repoId}}`,
    ]);
    expect(left).toEqual([{ repo_id: two.repoId }]);
  });

  it('is kept while workflows use the tag, and half a year longer', async () => {
    const [repository, other] = [await makeRepository(db), await makeRepository(db)];
    await look(other, [tag('v3.0.0')]);
    await age(other, 'v3.0.0', '200 days');
    await look(repository, [tag('v1.0.0'), tag('v2.0.0'), tag('v3.0.0')]);
    await age(repository, 'v1.0.0', '200 days');
    await age(repository, 'v2.0.0', '170 days');
    await age(repository, 'v3.0.0', '200 days');
    await look(repository, null);
    expect(await observed(repository)).toHaveLength(3);
    await look(repository, [tag('v3.0.0', null)]);
    expect(await observed(repository)).toEqual(['acme/deploy@v2.0.0 1', 'acme/deploy@v3.0.0 1']);
    expect(await observed(other)).toHaveLength(1);
    await look(other, []);
    expect(await observed(other)).toEqual([]);
  });

  it('is limited to a thousand tags, keeping the last used', { timeout: 60_000 }, async () => {
    const [repository, other] = [await makeRepository(db), await makeRepository(db)];
    const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => tag(`v0.0.${from + n}`));
    await look(repository, many(0, 1_000));
    expect(await observed(repository)).toHaveLength(1_000);
    await look(other, many(0, 50));
    await look(repository, many(990, 20));
    const kept = new Set(await observed(repository));
    expect(kept.size).toBe(1_000);
    for (const { tag } of many(990, 20)) expect(kept).toContain(`acme/deploy@${tag} 1`);
    expect(await observed(other)).toHaveLength(50);
  });
});
