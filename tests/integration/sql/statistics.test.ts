import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as publicScans from '#lib/db/queries/public-scans.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { startDatabase, type TestDatabase } from '../../support/database.ts';
import {
  addRepositories,
  finding,
  fingerprint,
  listed,
  makeRepository,
  makeTeam,
  scan,
} from '../../support/repository.ts';

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await startDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

function scanAnonymously(scmId: string, more: Partial<publicScans.NewScan> = {}) {
  return publicScans.finish(db, randomUUID(), {
    slug: randomBytes(16).toString('base64url'),
    scm_id: scmId,
    repo: `acme/p${scmId}`,
    default_branch: 'main',
    workflow_files: 10,
    counts: { HIGH: 1, MEDIUM: 0, LOW: 0, INFO: 2 },
    top_findings: [],
    not_assessed: [],
    commit_sha: null,
    engine_version: null,
    rule_counts: { artipacked: 3 },
    attack_paths: [],
    path_fixes: 0,
    checks: [],
    ...more,
  });
}

async function growth(work: () => Promise<unknown>) {
  const before = await publicScans.readStatistics(db);
  await work();
  const after = await publicScans.readStatistics(db);
  const rule = (name: string) => (after.rules[name] ?? 0) - (before.rules[name] ?? 0);
  return {
    repositories: after.repositories - before.repositories,
    workflows: after.workflows - before.workflows,
    findings: after.findings - before.findings,
    rules: [rule('artipacked'), rule('unpinned-uses')],
    recent: after.recent.map(({ repo }) => repo),
  };
}

const two = [finding('a'), finding('b')];

describe('the totals', () => {
  it('count scans of visitors and organizations together', async () => {
    const repository = await makeRepository(db);
    const grown = await growth(async () => {
      await scan(db, repository, two, { workflow_files: 4 });
      await scanAnonymously('1001');
    });
    expect(grown).toMatchObject({ repositories: 2, workflows: 14, findings: 5, rules: [3, 2] });
  });

  it('count a repository once, by its latest scan from either', async () => {
    const teams = [await makeTeam(db), await makeTeam(db)];
    const same = listed();
    const rows = [];
    for (const team of teams) rows.push(...(await addRepositories(db, team, [same])));
    const [one, other] = rows;
    if (one === undefined || other === undefined) throw new Error('Two organizations have it.');
    const grown = await growth(async () => {
      await scanAnonymously(same.scm_id);
      await scan(db, one, two, { workflow_files: 7 });
      await scan(db, other, two.slice(0, 1), { workflow_files: 3 });
    });
    expect(grown).toMatchObject({ repositories: 1, workflows: 3, findings: 1, rules: [0, 1] });
    const again = await growth(() => scanAnonymously(same.scm_id));
    expect(again).toMatchObject({ repositories: 0, workflows: 7, findings: 2, rules: [3, -1] });
  });

  it('count every finding, triaged or not', async () => {
    const repository = await makeRepository(db);
    await scan(db, repository, two);
    const dismissed = {
      fingerprint: fingerprint('a'),
      status: 'dismissed',
      reason: null,
      expiresAt: null,
      ifStatus: null,
    } as const;
    const grown = await growth(() =>
      scans.triage(db, repository.admin.id, { repoId: repository.repoId, ...dismissed }),
    );
    expect(grown).toMatchObject({ findings: 0, rules: [0, 0] });
  });

  it('reveal nothing that an organization scanned', async () => {
    const repository = await makeRepository(db);
    const { recent } = await growth(() => scan(db, repository, two, { full_name: 'acme/secret', private: false }));
    expect(JSON.stringify([recent, await publicScans.readStatistics(db)])).not.toContain('acme/secret');
  });
});
