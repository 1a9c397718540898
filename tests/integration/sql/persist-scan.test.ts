import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { type Catalog, digest, readCatalog } from '../../support/catalog.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import { finding, fingerprint, makeRepository, prepareScan, readCounts, scan } from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;
let catalog: Catalog;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
  catalog = await readCatalog(database);
});

afterAll(() => database?.stop());

const many = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    finding(`finding ${n}`, { severity: n % 2 === 0 ? 'HIGH' : 'LOW', line: n + 1 }),
  );

interface LedgerRow {
  readonly status: string;
  readonly first_scan_id: string;
  readonly last_scan_id: string;
  readonly resolved: boolean;
  readonly times: boolean;
}

async function ledger(repoId: string, name: string): Promise<LedgerRow | undefined> {
  const [row] = await database.sql<LedgerRow>(
    `select status, first_scan_id, last_scan_id, resolved_at is not null as resolved, first_seen_at <= last_seen_at as times
     from public.finding_ledger where repo_id = $1 and fingerprint = $2`,
    [repoId, fingerprint(name)],
  );
  return row;
}

describe('a scan is stored whole or not at all', () => {
  it.each([
    ['severity', { severity: 'BAD' as never }],
    ['fingerprint', { fingerprint: 'short' }],
    ['fingerprint of another one', { fingerprint: fingerprint('finding 3') }],
    ['line', { line: 'x' as never }],
    ['missing title', { title: undefined as never }],
  ])('a 500th finding with a bad %s leaves no row anywhere', async (_what, bad) => {
    const repository = await makeRepository(db);
    await scan(db, repository, many(3));
    const findings = many(1000).map((each, n) => (n === 499 ? { ...each, ...bad } : each));
    const before = await digest(database, catalog);
    await expect(scans.persist(db, await prepareScan(db, repository, findings))).rejects.toThrow('refused a call');
    expect(await digest(database, catalog)).toBe(before);
  });

  it.each([
    ['trigger', { trigger: 'remediation' as never }],
    ['ruleset', { ruleset: 'some' as never }],
    ['commit', { commit_sha: 'main' }],
    ['list of what was not assessed', { not_assessed: {} as never }],
    ['digest', { digest: null as never }],
    ['evidence', { evidence: { evidence: [], whole: true, caches_read_only: true } }],
    ['observed tag', { observed_tags: [{ action: 'acme/deploy', tag: 'v1.2.0', commit: 'main' }] }],
    ['note on the evidence', { evidence: { evidence: {}, whole: null as never, caches_read_only: true } }],
  ])('a bad %s leaves no row anywhere', async (_what, bad) => {
    const repository = await makeRepository(db);
    const before = await digest(database, catalog);
    await expect(scans.persist(db, await prepareScan(db, repository, many(3), bad))).rejects.toThrow('refused a call');
    expect(await digest(database, catalog)).toBe(before);
  });

  it('an overtaken scan is not stored', async () => {
    const repository = await makeRepository(db);
    const late = await prepareScan(db, repository, many(2));
    await scan(db, repository, many(4));
    const before = await digest(database, catalog);
    expect(await scans.persist(db, late)).toBeNull();
    expect(await scans.persist(db, { ...late, after_scan_id: randomUUID() })).toBeNull();
    expect(await digest(database, catalog)).toBe(before);
  });

  it('exactly one of twenty scans with the same predecessor is stored', async () => {
    const repository = await makeRepository(db);
    const prepared = await prepareScan(db, repository, many(5));
    const answers = await Promise.all(Array.from({ length: 20 }, () => scans.persist(db, prepared)));
    expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
    const rows = await database.sql('select 1 from public.scans where repo_id = $1', [repository.repoId]);
    expect(rows).toHaveLength(1);
  });

  it('a deleted or unknown repository stores nothing', async () => {
    const repository = await makeRepository(db);
    const prepared = await prepareScan(db, repository, many(1));
    await expect(scans.persist(db, { ...prepared, repo_id: randomUUID() })).rejects.toMatchObject({
      code: 'not-found',
    });
    await database.sql('update public.repositories set removed_at = now() where id = $1', [repository.repoId]);
    const before = await digest(database, catalog);
    await expect(scans.persist(db, prepared)).rejects.toMatchObject({ code: 'not-found' });
    expect(await digest(database, catalog)).toBe(before);
  });
});

describe('a stored scan', () => {
  it('returns open, new, and new HIGH counts', async () => {
    const repository = await makeRepository(db);
    const first = await scan(db, repository, [finding('a', { severity: 'HIGH' }), finding('b', { severity: 'INFO' })]);
    expect(first).toMatchObject({ findings: 2, new_findings: 2, counts: { high: 1, medium: 0, low: 0, info: 1 } });
    expect(first.new_high).toEqual([
      {
        fingerprint: fingerprint('a'),
        rule_id: 'unpinned-uses',
        title: 'Title',
        file: '.github/workflows/ci.yml',
        line: 3,
      },
    ]);
    const again = [finding('a', { severity: 'HIGH' }), finding('c', { severity: 'HIGH', line: 9 })];
    const second = await scan(db, repository, again);
    expect(second).toMatchObject({ findings: 2, new_findings: 1, counts: { high: 2, medium: 0, low: 0, info: 0 } });
    expect(second.new_high.map(({ line }) => line)).toEqual([9]);
  });

  it('becomes the base of the next one', async () => {
    const repository = await makeRepository(db);
    const { scan_id: id } = await scan(db, repository, [finding('a')], {
      tree: 'a-tree',
      digest: 'a-digest',
      suppressed: 4,
      not_assessed: [{ rule_id: 'impostor-commit', reason: 'offline' }],
      full_name: 'acme/renamed',
    });
    const target = await scans.getTarget(db, repository.admin.id, repository.repoId);
    expect(target).toMatchObject({
      full_name: 'acme/renamed',
      last_scan: {
        scan_id: id,
        tree: 'a-tree',
        digest: 'a-digest',
        suppressed: 4,
        not_assessed: [{ rule_id: 'impostor-commit', reason: 'offline' }],
      },
    });
  });

  it('with the input of the last one has its findings, without new ones', async () => {
    const repository = await makeRepository(db);
    const first = await scan(db, repository, many(7));
    const second = await scan(db, repository, [], { same_as: first.scan_id });
    expect(second).toMatchObject({ findings: 7, new_findings: 0, counts: first.counts, new_high: [] });
    const columns = 'fingerprint, rule_id, severity, title, file, line, "column", snippet, fixable';
    const rows = (id: string) =>
      database.sql(`select ${columns} from public.findings where scan_id = $1 order by fingerprint`, [id]);
    expect(await rows(second.scan_id)).toEqual(await rows(first.scan_id));
  });

  it('stores its evidence, or refers to that of the repeated scan', async () => {
    const [repository, other] = [await makeRepository(db), await makeRepository(db)];
    const evidence = { evidence: { version: 1, findings: [], facts: [] }, whole: false, caches_read_only: true };
    const stored = async (id: string) => {
      const where = 'select evidence, whole, caches_read_only from public.scan_facts where scan_id = $1';
      return (await database.sql(where, [id]))[0];
    };
    const first = await scan(db, repository, many(2), { evidence });
    expect(await stored(first.scan_id)).toEqual(evidence);
    const second = await scan(db, repository, [], { same_as: first.scan_id });
    expect(await stored(second.scan_id)).toEqual(evidence);
    const bare = await scan(db, other, many(2));
    expect(await stored(bare.scan_id)).toBeUndefined();
    const repeated = await scan(db, other, [], { same_as: bare.scan_id });
    expect(await stored(repeated.scan_id)).toBeUndefined();
  });

  it('cannot repeat findings of another repository or an earlier scan', async () => {
    const [repository, other] = [await makeRepository(db), await makeRepository(db)];
    const stranger = await scan(db, other, many(2));
    const old = await scan(db, repository, many(2));
    await scan(db, repository, many(1));
    const before = await digest(database, catalog);
    for (const id of [stranger.scan_id, old.scan_id, randomUUID()]) {
      await expect(scan(db, repository, [], { same_as: id })).rejects.toThrow('refused a call');
    }
    expect(await digest(database, catalog)).toBe(before);
  });

  it('stores 5,000 findings in one call', async () => {
    const repository = await makeRepository(db);
    expect(await scan(db, repository, many(5000))).toMatchObject({
      findings: 5000,
      new_findings: 5000,
      counts: { high: 2500, medium: 0, low: 2500, info: 0 },
    });
    expect(await scan(db, repository, many(5000))).toMatchObject({ findings: 5000, new_findings: 0 });
  });
});

describe('a finding across scans', () => {
  it('keeps its first time and updates its last', async () => {
    const repository = await makeRepository(db);
    const first = await scan(db, repository, [finding('a')]);
    const second = await scan(db, repository, [finding('a'), finding('b')]);
    expect(await ledger(repository.repoId, 'a')).toMatchObject({
      first_scan_id: first.scan_id,
      last_scan_id: second.scan_id,
      times: true,
    });
    expect(await ledger(repository.repoId, 'b')).toMatchObject({ first_scan_id: second.scan_id });
  });

  it('is resolved only by a scan whose rule completed', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a', { rule_id: 'artipacked' })]);
    await scan(db, repository, [], { completed: ['unpinned-uses'] });
    expect(await ledger(repository.repoId, 'a')).toMatchObject({ resolved: false });
    await scan(db, repository, [], { completed: [] });
    expect(await ledger(repository.repoId, 'a')).toMatchObject({ resolved: false });
    const third = await scan(db, repository, [], { completed: ['artipacked'] });
    expect(await ledger(repository.repoId, 'a')).toMatchObject({ resolved: true });
    expect(third.counts).toEqual({ high: 0, medium: 0, low: 0, info: 0 });
  });

  it('keeps its triage when it returns, and is not new then', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a')]);
    const triage = {
      repoId: repository.repoId,
      fingerprint: fingerprint('a'),
      reason: 'Known.',
      expiresAt: null,
      ifStatus: null,
    };
    await scans.triage(db, repository.admin.id, { ...triage, status: 'dismissed' });
    await scan(db, repository, []);
    expect(await ledger(repository.repoId, 'a')).toMatchObject({ resolved: true, status: 'dismissed' });
    const back = await scan(db, repository, [finding('a')]);
    expect(await ledger(repository.repoId, 'a')).toMatchObject({ resolved: false, status: 'dismissed' });
    expect(back).toMatchObject({ findings: 1, new_findings: 0, counts: { medium: 0 } });
    expect((await readCounts(database, repository.repoId)).kept).toEqual(back.counts);
  });

  const shown = async (repoId: string, name: string) => {
    const [row] = await database.sql(
      `select severity, severity_rank, confidence, category, title, file, line, fixable, present,
         returned_at is not null as returned, returned_at = last_seen_at as just_now
       from public.finding_ledger where repo_id = $1 and fingerprint = $2`,
      [repoId, fingerprint(name)],
    );
    return row;
  };

  it('shows in the ledger what the last scan that found it said', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, [finding('a', { severity: 'HIGH', title: 'Before', line: 3 })]);
    expect(await shown(repository.repoId, 'a')).toEqual({
      severity: 'HIGH',
      severity_rank: 4,
      confidence: 'high',
      category: 'CICD-SEC-3',
      title: 'Before',
      file: '.github/workflows/ci.yml',
      line: 3,
      fixable: true,
      present: true,
      returned: false,
      just_now: null,
    });
    const settings = { severity: 'LOW', title: 'Now', file: null, line: null, fixable: false } as const;
    await scan(db, repository, [finding('a', settings)]);
    expect(await shown(repository.repoId, 'a')).toMatchObject({ ...settings, severity_rank: 2, present: true });
    await scan(db, repository, []);
    expect(await shown(repository.repoId, 'a')).toMatchObject({ ...settings, present: false });
  });

  it('is present only if the last scan found it, and returns only after it was resolved', async () => {
    const repository = await makeRepository(db);
    const found = [finding('a', { rule_id: 'artipacked' })];
    await scan(db, repository, found);
    await scan(db, repository, [], { completed: [] });
    expect(await shown(repository.repoId, 'a')).toMatchObject({ present: false });
    await scan(db, repository, found);
    expect(await shown(repository.repoId, 'a')).toMatchObject({ present: true, returned: false });
    await scan(db, repository, [], { completed: ['artipacked'] });
    await scan(db, repository, [], { completed: ['artipacked'] });
    expect(await shown(repository.repoId, 'a')).toMatchObject({ present: false, returned: false });
    await scan(db, repository, found);
    expect(await shown(repository.repoId, 'a')).toMatchObject({ present: true, returned: true, just_now: true });
    await scan(db, repository, found);
    expect(await shown(repository.repoId, 'a')).toMatchObject({ present: true, returned: true, just_now: false });
  });

  it('is independent in another repository', async () => {
    const [one, two] = [await makeRepository(db), await makeRepository(db)];
    await scan(db, one, [finding('a')]);
    expect(await scan(db, two, [finding('a')])).toMatchObject({ new_findings: 1 });
    await scan(db, one, []);
    expect(await ledger(two.repoId, 'a')).toMatchObject({ resolved: false });
  });
});

describe('a stored scan', () => {
  const row = async (scanId: string) =>
    (await database.sql('select not_assessed, diagnostics from public.scans where id = $1', [scanId]))[0];
  const diagnostics = {
    count: 30,
    first: [{ file: 'a.yml', line: 1, column: 2, severity: 'error' as const, message: 'Not YAML.' }],
  };
  const not_assessed = [{ rule_id: 'impostor-commit', reason: 'offline' as const }];

  it('says what it could not assess and what its files have wrong, also if it repeats another', async () => {
    const repository = await makeRepository(db);
    const first = await scan(db, repository, [finding('a')], { diagnostics, not_assessed });
    expect(await row(first.scan_id)).toEqual({ not_assessed, diagnostics });
    const same = { same_as: first.scan_id, diagnostics: null, not_assessed };
    const again = await scan(db, repository, [], same);
    expect(await row(again.scan_id)).toEqual({ not_assessed, diagnostics });
    expect(again).toMatchObject({ findings: 1, new_findings: 0 });
    const last = await scan(db, repository, []);
    expect(await row(last.scan_id)).toEqual({ not_assessed: [], diagnostics: { count: 0, first: [] } });
  });
});
