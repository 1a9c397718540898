import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import { finding, makeRepository, scan, type TestRepository } from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;
let repository: TestRepository;

beforeAll(async () => {
  database = await emptyDatabase();
  db = createAdminDb(database);
});
afterAll(() => database?.stop());
beforeEach(async () => {
  repository = await makeRepository(db);
});

const [fixed, lasting, fresh] = ['fixed', 'lasting', 'fresh'].map((name) => finding(name, { title: name })) as [
  ReturnType<typeof finding>,
  ReturnType<typeof finding>,
  ReturnType<typeof finding>,
];

async function scanned(daysAgo: number, findings: readonly ReturnType<typeof finding>[], of = repository) {
  const { scan_id: id } = await scan(db, of, findings, { evidence: null });
  await database.sql(`update public.scans set finished_at = now() - make_interval(days => $2) where id = $1`, [
    id,
    daysAgo,
  ]);
  return id;
}

const titlesOf = async (id: string) =>
  (
    await database.sql<{ title: string }>('select title from public.findings where scan_id = $1 order by title', [id])
  ).map(({ title }) => title);

const rowsOf = async (table: 'scan_rules' | 'scan_inputs', id: string) =>
  (await database.sql(`select 1 from public.${table} where scan_id = $1`, [id])).length;

describe('the details of a scan', () => {
  it('are deleted after their time, but for the last sighting of each finding', async () => {
    const first = await scanned(200, [fixed, lasting]);
    const last = await scanned(100, [lasting, fresh]);
    const before = await database.sql('select high, medium, low, info from public.scans where id = $1', [first]);
    expect(await scans.prune(db, 90, 100)).toEqual({ scans: 1, findings: 1 });
    expect([await titlesOf(first), await titlesOf(last)]).toEqual([['fixed'], ['fresh', 'lasting']]);
    expect([await rowsOf('scan_rules', first), await rowsOf('scan_inputs', first)]).toEqual([0, 0]);
    expect([await rowsOf('scan_rules', last), await rowsOf('scan_inputs', last)]).toEqual([1, 1]);
    expect(await database.sql('select high, medium, low, info from public.scans where id = $1', [first])).toEqual(
      before,
    );
    expect(await scans.prune(db, 90, 100)).toEqual({ scans: 0, findings: 0 });
  });

  it('leave decisions on findings and their history as they were', async () => {
    await scanned(200, [fixed, lasting]);
    await scans.triage(db, repository.admin.id, {
      repoId: repository.repoId,
      fingerprint: fixed.fingerprint,
      status: 'dismissed',
      reason: 'Test code.',
      expiresAt: null,
      ifStatus: null,
    });
    await scanned(150, [lasting]);
    await scanned(1, [lasting]);
    const stored = () =>
      database.sql(
        `select to_jsonb(l) as ledger, (select count(*) from public.triage_events e where e.repo_id = l.repo_id) as events
         from public.finding_ledger l where repo_id = $1 order by fingerprint`,
        [repository.repoId],
      );
    const before = await stored();
    expect(before).toHaveLength(2);
    expect((await scans.prune(db, 90, 100)).scans).toBe(2);
    expect(await stored()).toEqual(before);
  });

  it('stay before their time', async () => {
    const first = await scanned(89, [fixed]);
    await scanned(1, [lasting]);
    expect(await scans.prune(db, 90, 100)).toEqual({ scans: 0, findings: 0 });
    expect(await titlesOf(first)).toEqual(['fixed']);
  });

  it('are deleted oldest first, a bounded number at once, each by one of concurrent runs', async () => {
    for (const daysAgo of [500, 400, 300, 200]) await scanned(daysAgo, [lasting]);
    await scanned(0, [lasting]);
    expect((await scans.prune(db, 90, 1)).scans).toBe(1);
    const left = await Promise.all([scans.prune(db, 90, 2), scans.prune(db, 90, 2), scans.prune(db, 90, 2)]);
    expect(left.reduce((sum, each) => sum + each.scans, 0)).toBe(3);
    const pruned = await database.sql<{ days: number }>(
      `select extract(day from now() - finished_at)::integer as days from public.scans
       where repo_id = $1 and pruned_at is null`,
      [repository.repoId],
    );
    expect(pruned).toEqual([{ days: 0 }]);
  });
});
