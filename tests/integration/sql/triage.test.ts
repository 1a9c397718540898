import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as scans from '#lib/db/queries/scans.ts';
import type { TriageStatus } from '#lib/db/shapes/scans.ts';
import { type Catalog, digest, readCatalog } from '../../support/catalog.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import {
  addRepositories,
  finding,
  fingerprint,
  join,
  listed,
  makeRepository,
  makeTeam,
  person,
  prepareScan,
  readCounts,
  scan,
  type TestRepository,
} from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;
let catalog: Catalog;

beforeAll(async () => {
  database = await emptyDatabase();
  db = createAdminDb(database);
  catalog = await readCatalog(database);
});

afterAll(() => database?.stop());

const FINDINGS = [
  finding('a', { severity: 'HIGH' }),
  finding('b', { severity: 'HIGH' }),
  finding('c', { severity: 'MEDIUM' }),
  finding('d', { severity: 'LOW' }),
  finding('e', { severity: 'INFO' }),
];

async function scanned(): Promise<TestRepository> {
  const repository = await makeRepository(db);
  await scan(db, repository, FINDINGS);
  return repository;
}

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();

function triage(repository: TestRepository, name: string, status: TriageStatus, user = repository.admin.id) {
  const expiresAt = status === 'accepted' || status === 'snoozed' ? inOneHour() : null;
  const reason = status === 'open' ? null : 'Reason.';
  return scans.triage(db, user, {
    repoId: repository.repoId,
    fingerprint: fingerprint(name),
    status,
    reason,
    expiresAt,
    ifStatus: null,
  });
}

const events = (repository: TestRepository) =>
  database.sql(
    `select from_status, to_status, reason, expires_at is not null as ends, actor from public.triage_events
     where repo_id = $1 order by created_at`,
    [repository.repoId],
  );

const letLapse = (repository: TestRepository) =>
  database.sql(
    `update public.finding_ledger set expires_at = now() - interval '1 second'
     where repo_id = $1 and expires_at is not null`,
    [repository.repoId],
  );

describe('a triage', () => {
  it.each(['dismissed', 'accepted', 'false_positive', 'snoozed'] as const)(
    'to %s removes the finding from the counts, and reopening restores it',
    async (status) => {
      const repository = await scanned();
      const closed = await triage(repository, 'a', status);
      expect(closed).toEqual({ status, counts: { high: 1, medium: 1, low: 1, info: 1 } });
      expect(await readCounts(database, repository.repoId)).toEqual({ kept: closed.counts, counted: closed.counts });
      const opened = await triage(repository, 'a', 'open');
      expect(opened).toEqual({ status: 'open', counts: { high: 2, medium: 1, low: 1, info: 1 } });
    },
  );

  it('records who did what; reopening clears the time but not the history', async () => {
    const repository = await scanned();
    const member = await join(db, repository);
    await triage(repository, 'a', 'snoozed');
    await triage(repository, 'a', 'dismissed', member.id);
    await triage(repository, 'a', 'open');
    const { id } = repository.admin;
    expect(await events(repository)).toEqual([
      { from_status: 'open', to_status: 'snoozed', reason: 'Reason.', ends: true, actor: id },
      { from_status: 'snoozed', to_status: 'dismissed', reason: 'Reason.', ends: false, actor: member.id },
      { from_status: 'dismissed', to_status: 'open', reason: null, ends: false, actor: id },
    ]);
    const [row] = await database.sql(
      'select status, reason, expires_at from public.finding_ledger where repo_id = $1 and fingerprint = $2',
      [repository.repoId, fingerprint('a')],
    );
    expect(row).toEqual({ status: 'open', reason: null, expires_at: null });
  });

  it('by strangers and former members, or of unknown findings, changes nothing', async () => {
    const repository = await scanned();
    const member = await join(db, repository);
    await database.sql('delete from public.org_members where user_id = $1 and org_id = $2', [
      member.id,
      repository.orgId,
    ]);
    const before = await digest(database, catalog);
    for (const user of [person().id, member.id]) {
      await expect(triage(repository, 'a', 'dismissed', user)).rejects.toMatchObject({ code: 'not-found' });
    }
    await expect(triage(repository, 'never', 'dismissed')).rejects.toMatchObject({ code: 'not-found' });
    const elsewhere = { ...repository, repoId: randomUUID() };
    await expect(triage(elsewhere, 'a', 'dismissed')).rejects.toMatchObject({ code: 'not-found' });
    expect(await digest(database, catalog)).toBe(before);
  });

  it('does not affect other repositories', async () => {
    const [one, two] = [await scanned(), await scanned()];
    await triage(one, 'a', 'dismissed');
    expect((await readCounts(database, two.repoId)).kept).toEqual({ high: 2, medium: 1, low: 1, info: 1 });
  });

  it('of a finding missing from the last scan changes no count', async () => {
    const repository = await scanned();
    await scan(db, repository, FINDINGS.slice(1));
    const { counts } = await triage(repository, 'a', 'dismissed');
    expect(counts).toEqual({ high: 1, medium: 1, low: 1, info: 1 });
  });
});

describe('expired triage', () => {
  it('reopens the finding, counts it, and records an event without a user', async () => {
    const repository = await scanned();
    await triage(repository, 'a', 'accepted');
    await triage(repository, 'c', 'snoozed');
    await triage(repository, 'd', 'dismissed');
    expect(await scans.expireTriage(db, 100)).toEqual({ expired: 0, repositories: 0, more: false });
    await letLapse(repository);
    expect(await scans.expireTriage(db, 100)).toEqual({ expired: 2, repositories: 1, more: false });
    const { kept, counted } = await readCounts(database, repository.repoId);
    expect(kept).toEqual({ high: 2, medium: 1, low: 0, info: 1 });
    expect(counted).toEqual(kept);
    const lapsed = (await events(repository)).filter(({ actor }) => actor === null);
    const event = { to_status: 'open', reason: null, ends: false, actor: null };
    expect(lapsed).toHaveLength(2);
    expect(lapsed).toContainEqual({ from_status: 'accepted', ...event });
    expect(lapsed).toContainEqual({ from_status: 'snoozed', ...event });
    expect(await scans.expireTriage(db, 100)).toEqual({ expired: 0, repositories: 0, more: false });
  });

  it('runs in batches that report if there are more', async () => {
    for (let n = 0; n < 3; n += 1) {
      const repository = await scanned();
      await triage(repository, 'a', 'snoozed');
      await triage(repository, 'b', 'snoozed');
      await letLapse(repository);
    }
    expect(await scans.expireTriage(db, 2)).toEqual({ expired: 4, repositories: 2, more: true });
    expect(await scans.expireTriage(db, 2)).toEqual({ expired: 2, repositories: 1, more: false });
  });

  it('is counted once by concurrent runs', async () => {
    const team = await makeTeam(db);
    const repositories = await addRepositories(
      db,
      team,
      Array.from({ length: 6 }, () => listed()),
    );
    const findings = Array.from({ length: 100 }, (_, n) => finding(`finding ${n}`));
    for (const repository of repositories) await scan(db, repository, findings);
    await database.sql(
      `update public.finding_ledger set status = 'snoozed', expires_at = now() - interval '1 second' where org_id = $1`,
      [team.orgId],
    );
    const runs = await Promise.all(Array.from({ length: 8 }, () => scans.expireTriage(db, 100)));
    expect(runs.reduce((sum, { expired }) => sum + expired, 0)).toBe(600);
    expect(runs.reduce((sum, run) => sum + run.repositories, 0)).toBe(6);
    const told = await database.sql('select 1 from public.triage_events where actor is null and org_id = $1', [
      team.orgId,
    ]);
    expect(told).toHaveLength(600);
  });
});

describe('concurrently', () => {
  const statuses = ['dismissed', 'open', 'snoozed', 'accepted', 'false_positive'] as const;

  async function expectTrueCounts(repository: TestRepository) {
    const { kept, counted } = await readCounts(database, repository.repoId);
    expect(kept).toEqual(counted);
  }

  it('triage of many findings keeps the counts correct', { timeout: 120_000 }, async () => {
    const repository = await makeRepository(db);
    const names = Array.from({ length: 40 }, (_, n) => `finding ${n}`);
    await scan(
      db,
      repository,
      names.map((name) => finding(name)),
    );
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(names.map((name, n) => triage(repository, name, statuses[(n + round) % 5] ?? 'open')));
      await expectTrueCounts(repository);
    }
  });

  it('triage, expiry and scans do, too', { timeout: 120_000 }, async () => {
    const team = await makeTeam(db);
    const repositories = await addRepositories(db, team, [listed(), listed()]);
    for (const repository of repositories) await scan(db, repository, FINDINGS);
    for (let round = 0; round < 5; round += 1) {
      const work = repositories.flatMap((repository) => [
        ...FINDINGS.map((_, n) => triage(repository, 'abcde'[n] ?? 'a', statuses[(n + round) % 5] ?? 'open')),
        prepareScan(db, repository, FINDINGS.slice(round % 3)).then((prepared) => scans.persist(db, prepared)),
        letLapse(repository),
        scans.expireTriage(db, 100),
      ]);
      await Promise.all(work);
      for (const repository of repositories) await expectTrueCounts(repository);
    }
  });
});
