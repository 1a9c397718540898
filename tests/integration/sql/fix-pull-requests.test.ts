import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as fixes from '#lib/db/queries/fix-pull-requests.ts';
import { emptyDatabase, sharedDatabase, type TestDatabase } from '../../support/database.ts';
import { finding, fingerprint, makeRepository, scan, type TestRepository } from '../../support/repository.ts';

const MERGED_AT = '2026-11-20T10:00:00.000Z';
const BEFORE = '2026-11-20T09:59:59.000Z';
const COMMIT = 'c'.repeat(40);

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

interface Fix extends TestRepository {
  readonly number: number;
}

async function open(
  repository: TestRepository,
  {
    number = 7,
    rules = ['unpinned-uses'],
    names = ['a'],
  }: { number?: number; rules?: string[]; names?: string[] } = {},
  on = database,
): Promise<Fix> {
  await on.sql(
    `insert into public.fix_pull_requests (org_id, repo_id, file, number, url, branch, rule_ids, fingerprints)
     values ($1, $2, 'ci.yml', $3, 'https://code.example/1', 'fix', array(select jsonb_array_elements_text($4::text::jsonb)),
       array(select jsonb_array_elements_text($5::text::jsonb)))`,
    [repository.orgId, repository.repoId, number, JSON.stringify(rules), JSON.stringify(names.map(fingerprint))],
  );
  return { ...repository, number };
}

const outcomeOf = ({ scmId, number }: Fix, more: Partial<fixes.FixOutcome> = {}): fixes.FixOutcome => ({
  scm_id: scmId,
  number,
  state: 'merged',
  merged_at: MERGED_AT,
  closed_at: MERGED_AT,
  merge_commit_sha: null,
  ...more,
});

const merge = (fix: Fix, more: Partial<fixes.FixOutcome> = {}) => fixes.recordOutcomes(db, [outcomeOf(fix, more)]);

interface Stored {
  readonly state: string;
  readonly closed: boolean;
  readonly merged: boolean;
  readonly verified: boolean;
}

async function stored({ repoId, number }: Fix): Promise<Stored | undefined> {
  const [row] = await database.sql<Stored>(
    `select state, closed_at is not null as closed, merged_at is not null as merged, verified_at is not null as verified
     from public.fix_pull_requests where repo_id = $1 and number = $2`,
    [repoId, number],
  );
  return row;
}

describe('the outcome of a fix pull request', () => {
  it('open → merged', async () => {
    const fix = await open(await makeRepository(db));
    expect(await merge(fix)).toBe(1);
    expect(await stored(fix)).toEqual({ state: 'merged', closed: true, merged: true, verified: false });
  });

  it('open → closed → merged, if it was reopened in between', async () => {
    const fix = await open(await makeRepository(db));
    const closed = outcomeOf(fix, { state: 'closed', merged_at: null });
    expect(await fixes.recordOutcomes(db, [closed])).toBe(1);
    expect(await stored(fix)).toMatchObject({ state: 'closed', closed: true, merged: false });
    await merge(fix);
    expect(await stored(fix)).toMatchObject({ state: 'merged' });
  });

  it('merged → unchanged, whatever arrives late', async () => {
    const fix = await open(await makeRepository(db));
    await merge(fix);
    const late = [
      outcomeOf(fix, { state: 'closed', merged_at: null }),
      outcomeOf(fix, { state: 'open', merged_at: null, closed_at: null }),
    ];
    for (const each of late) expect(await fixes.recordOutcomes(db, [each])).toBe(1);
    expect(await stored(fix)).toMatchObject({ state: 'merged', merged: true });
  });

  it('closed → unchanged by an answer from before, that it was open', async () => {
    const fix = await open(await makeRepository(db));
    await fixes.recordOutcomes(db, [outcomeOf(fix, { state: 'closed', merged_at: null })]);
    await fixes.recordOutcomes(db, [outcomeOf(fix, { state: 'open', merged_at: null, closed_at: null })]);
    expect(await stored(fix)).toMatchObject({ state: 'closed', closed: true });
  });

  it('of another repository or number is nobody’s', async () => {
    const fix = await open(await makeRepository(db));
    expect(await fixes.recordOutcomes(db, [outcomeOf({ ...fix, number: 8 })])).toBe(0);
    expect(await fixes.recordOutcomes(db, [outcomeOf({ ...fix, scmId: '1' })])).toBe(0);
    expect(await stored(fix)).toMatchObject({ state: 'open' });
  });

  it('survives twenty writers at once', async () => {
    const repository = await makeRepository(db);
    const all = await Promise.all([1, 2, 3].map((number) => open(repository, { number })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const outcomes = all.map((fix) => outcomeOf(fix));
        return fixes.recordOutcomes(db, n % 2 === 0 ? outcomes : outcomes.toReversed());
      }),
    );
    expect(answers).toEqual(Array(20).fill(3));
    for (const fix of all) expect(await stored(fix)).toMatchObject({ state: 'merged' });
  });
});

describe('a merged fix is verified', () => {
  const rescan = (fix: Fix, names: readonly string[], more: Parameters<typeof scan>[3] = {}) =>
    scan(
      db,
      fix,
      names.map((name) => finding(name)),
      more,
    );

  it('by the first scan after the merge in which none of its findings is open', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a'), finding('b'), finding('other')]);
    const fix = await open(repository, { names: ['a', 'b'] });
    await merge(fix);
    await rescan(fix, ['b', 'other']);
    expect(await stored(fix)).toMatchObject({ verified: false });
    const { scan_id } = await rescan(fix, ['other']);
    const [row] = await database.sql(
      `select 1 from public.fix_pull_requests p join public.scans s on s.finished_at = p.verified_at
       where p.repo_id = $1 and s.id = $2`,
      [fix.repoId, scan_id],
    );
    expect(row).toBeDefined();
    await rescan(fix, ['a', 'b']);
    expect(await stored(fix)).toMatchObject({ verified: true });
  });

  it('by the scan that was stored before the merge was recorded', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a')]);
    const fix = await open(repository);
    await rescan(fix, []);
    expect(await stored(fix)).toMatchObject({ verified: false });
    await merge(fix);
    expect(await stored(fix)).toMatchObject({ verified: true });
  });

  it('not by a scan that began before the merge, unless it was of the merge commit', async () => {
    const [one, other] = [await makeRepository(db), await makeRepository(db)];
    const [early, exact] = [await open(one), await open(other)];
    await merge(early);
    await merge(exact, { merge_commit_sha: COMMIT });
    await rescan(early, [], { started_at: BEFORE });
    await rescan(exact, [], { started_at: BEFORE, commit_sha: COMMIT });
    expect([await stored(early), await stored(exact)]).toMatchObject([{ verified: false }, { verified: true }]);
  });

  it('not before it is merged, nor if it is closed', async () => {
    const repository = await makeRepository(db);
    const [opened, closed] = [await open(repository, { number: 1 }), await open(repository, { number: 2 })];
    await fixes.recordOutcomes(db, [outcomeOf(closed, { state: 'closed', merged_at: null })]);
    await rescan(opened, []);
    expect([await stored(opened), await stored(closed)]).toMatchObject([{ verified: false }, { verified: false }]);
  });

  it('not by a scan whose rule did not complete', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a')]);
    const known = await open(repository, { number: 1 });
    const unseen = await open(repository, { number: 2, names: ['never stored'], rules: ['unpinned-uses'] });
    await rescan(known, [], { completed: ['missing-timeout'] });
    await merge(known);
    await merge(unseen);
    await rescan(known, [], { completed: ['missing-timeout'] });
    expect([await stored(known), await stored(unseen)]).toMatchObject([{ verified: false }, { verified: false }]);
    await rescan(known, []);
    expect([await stored(known), await stored(unseen)]).toMatchObject([{ verified: true }, { verified: true }]);
  });

  it('while somebody has dismissed what is left', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a')]);
    const fix = await open(repository);
    await merge(fix);
    await database.sql(`update public.finding_ledger set status = 'dismissed' where repo_id = $1`, [fix.repoId]);
    await rescan(fix, ['a']);
    expect(await stored(fix)).toMatchObject({ verified: true });
  });

  it('in its own repository only', async () => {
    const [one, other] = [await makeRepository(db), await makeRepository(db)];
    const [fix, far] = [await open(one), await open(other)];
    await merge(fix);
    await merge(far);
    await rescan(fix, []);
    expect([await stored(fix), await stored(far)]).toMatchObject([{ verified: true }, { verified: false }]);
  });
});

describe('the pull requests without an outcome', () => {
  it('are listed in pages, each once, without ended ones and without repositories out of reach', async () => {
    const own = await emptyDatabase();
    try {
      const ownDb = createAdminDb(own);
      const repositories = [await makeRepository(ownDb), await makeRepository(ownDb), await makeRepository(ownDb)];
      for (const repository of repositories) {
        for (const number of [1, 2, 3]) await open(repository, { number }, own);
      }
      const [first, , gone] = repositories as [TestRepository, TestRepository, TestRepository];
      await fixes.recordOutcomes(ownDb, [outcomeOf({ ...first, number: 2 })]);
      await own.sql('update public.repositories set removed_at = now() where id = $1', [gone.repoId]);
      const found: string[] = [];
      let last: fixes.OpenFix | null = null;
      do {
        const page: readonly fixes.OpenFix[] = await fixes.listOpen(ownDb, last, 2);
        found.push(...page.map(({ scm_id, number }) => `${scm_id} ${number}`));
        last = page.length === 2 ? (page.at(-1) ?? null) : null;
      } while (last !== null);
      const wanted = repositories.slice(0, 2).flatMap(({ scmId }) => [1, 2, 3].map((number) => `${scmId} ${number}`));
      expect(found.sort()).toEqual(wanted.filter((each) => each !== `${first.scmId} 2`).sort());
    } finally {
      await own.stop();
    }
  });
});
