import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as publicScans from '#lib/db/queries/public-scans.ts';
import * as rateLimits from '#lib/db/queries/rate-limits.ts';
import { createUserDb } from '../support/data-api.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { signToken } from '../support/token.ts';

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await emptyDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

const uniqueRepo = () => `Acme/Web-${randomUUID().slice(0, 8)}`;

function scanOf(repo: string, more: Partial<publicScans.NewScan> = {}): publicScans.NewScan {
  return {
    slug: randomBytes(16).toString('base64url'),
    scm_id: randomUUID(),
    repo,
    default_branch: 'main',
    commit_sha: null,
    engine_version: null,
    workflow_files: 2,
    counts: { HIGH: 1, MEDIUM: 2, LOW: 0, INFO: 4 },
    top_findings: [{ severity: 'HIGH', category: 'CICD-SEC-4', rule_id: 'template-injection', title: 'Text' }],
    not_assessed: [{ rule_id: 'impostor-commit', reason: 'offline' }],
    rule_counts: { 'template-injection': 1, 'unpinned-uses': 6 },
    attack_paths: [{ id: 'fork-code-with-credentials', severity: 'CRITICAL', count: 2 }],
    path_fixes: 1,
    checks: [{ category: 'CICD-SEC-4', passed: 3, run: 4 }],
    ...more,
  };
}

const begin = (repo: string, claim: string = randomUUID(), options: { claimSeconds?: number } = {}) =>
  publicScans.begin(db, repo.toLowerCase(), { claim, maxAgeSeconds: 3600, claimSeconds: 45, ...options });

describe('the scan claim', () => {
  it('goes to exactly one of many; later requests get the stored scan', async () => {
    const repo = uniqueRepo();
    const claims = Array.from({ length: 20 }, () => randomUUID());
    const states = await Promise.all(claims.map(async (claim) => ({ claim, ...(await begin(repo, claim)) })));
    const winners = states.filter(({ state }) => state === 'claimed');
    expect(winners).toHaveLength(1);
    expect(states.filter(({ state }) => state === 'busy')).toHaveLength(19);
    const stored = await publicScans.finish(db, winners[0]?.claim ?? '', scanOf(repo));
    const later = await begin(repo);
    expect(later).toEqual({ state: 'cached', scan: stored });
  });

  it('is free after release or expiry, and can be released by its holder only', async () => {
    const repo = uniqueRepo();
    const claim = randomUUID();
    expect((await begin(repo, claim)).state).toBe('claimed');
    await publicScans.abandon(db, repo.toLowerCase(), randomUUID());
    expect((await begin(repo)).state).toBe('busy');
    await publicScans.abandon(db, repo.toLowerCase(), claim);
    expect((await begin(repo, claim, { claimSeconds: -1 })).state).toBe('claimed');
    expect((await begin(repo)).state).toBe('claimed');
  });

  it('is not needed within an hour under any spelling of the name, and slugs replay for ever', async () => {
    const repo = uniqueRepo();
    const scan = scanOf(repo);
    const stored = await publicScans.finish(db, randomUUID(), scan);
    const age = (interval: string) =>
      database.sql(`update public.public_scans set scanned_at = now() - interval '${interval}' where slug = $1`, [
        scan.slug,
      ]);
    await age('59 minutes 50 seconds');
    expect((await begin(repo)).state).toBe('cached');
    await age('60 minutes 10 seconds');
    expect((await begin(repo)).state).toBe('claimed');
    await age('2 years');
    const replayed = await publicScans.findBySlug(db, scan.slug);
    expect({ ...replayed, scanned_at: '' }).toEqual({ ...stored, scanned_at: '' });
    expect(replayed?.scanned_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await publicScans.findBySlug(db, 'nothing-of-this-name')).toBeNull();
  });

  it('survives an invalid scan, which is not stored at all', async () => {
    const repo = uniqueRepo();
    const claim = randomUUID();
    await begin(repo, claim);
    await expect(publicScans.finish(db, claim, scanOf(repo, { workflow_files: -1 }))).rejects.toThrow('refused');
    expect(await publicScans.findNewest(db, repo.toLowerCase())).toBeNull();
    expect((await begin(repo)).state).toBe('busy');
  });

  it('follows a rename or takeover of the name to the newest scan', async () => {
    const [old, renamed] = [uniqueRepo(), uniqueRepo()];
    const id = randomUUID();
    const newest = async () => {
      const names = [old, renamed].map((name) => name.toLowerCase());
      const rows = await database.sql<{ repo: string }>(
        'select repo from public.public_scans where latest and repo_key in ($1, $2)',
        names,
      );
      return rows.map(({ repo }) => repo);
    };
    await publicScans.finish(db, randomUUID(), scanOf(old, { scm_id: id }));
    await publicScans.finish(db, randomUUID(), scanOf(renamed, { scm_id: id }));
    expect(await newest()).toEqual([renamed]);
    await publicScans.finish(db, randomUUID(), scanOf(renamed));
    expect(await newest()).toEqual([renamed]);
  });
});

describe('statistics', () => {
  it('count the latest scan of each repository, and list the last ten', async () => {
    const before = await publicScans.readStatistics(db);
    const [first, second] = [uniqueRepo(), uniqueRepo()];
    const id = randomUUID();
    await publicScans.finish(
      db,
      randomUUID(),
      scanOf(first, { scm_id: id, workflow_files: 90, rule_counts: { 'unpinned-uses': 99 } }),
    );
    await publicScans.finish(db, randomUUID(), scanOf(first, { scm_id: id }));
    await publicScans.finish(db, randomUUID(), scanOf(second));
    const after = await publicScans.readStatistics(db);
    expect(after.repositories - before.repositories).toBe(2);
    expect(after.workflows - before.workflows).toBe(4);
    expect(after.findings - before.findings).toBe(14);
    expect((after.rules['unpinned-uses'] ?? 0) - (before.rules['unpinned-uses'] ?? 0)).toBe(12);
    expect(after.recent.map(({ repo }) => repo).slice(0, 2)).toEqual([second, first]);
    expect(after.recent.length).toBeLessThanOrEqual(10);
  });
});

describe('budgets', () => {
  const key = () => `test:${randomUUID()}`;

  it('exactly as many pass as allowed, however many come at once', async () => {
    const budget = [{ key: key(), limit: 5 }];
    const answers = await Promise.all(Array.from({ length: 20 }, () => rateLimits.take(db, budget)));
    expect(answers.filter((seconds) => seconds === null)).toHaveLength(5);
    for (const seconds of answers.filter((each) => each !== null)) {
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
    }
  });

  it('slide: a request is free again after a minute', async () => {
    const budget = [{ key: key(), limit: 2 }];
    await rateLimits.take(db, budget);
    await rateLimits.take(db, budget);
    const move = (seconds: number) =>
      database.sql(
        `update public.rate_limits set hits = array(select hit - make_interval(secs => ${seconds}) from unnest(hits) hit) where key = $1`,
        [budget[0]?.key],
      );
    await move(50);
    expect(await rateLimits.take(db, budget)).toBeLessThanOrEqual(10);
    await move(11);
    expect(await rateLimits.take(db, budget)).toBeNull();
  });

  it('count a request refused by the first only once', async () => {
    const [own, together] = [key(), key()];
    const budgets = [
      { key: own, limit: 1 },
      { key: together, limit: 2 },
    ];
    for (let n = 0; n < 5; n += 1) await rateLimits.take(db, budgets);
    expect(await rateLimits.take(db, [{ key: together, limit: 2 }])).toBeNull();
    expect(await rateLimits.take(db, [{ key: together, limit: 2 }])).not.toBeNull();
  });

  it('expire after minutes without use', async () => {
    const stale = key();
    await rateLimits.take(db, [{ key: stale, limit: 1 }]);
    await database.sql(`update public.rate_limits set updated_at = now() - interval '1 hour' where key = $1`, [stale]);
    const count = async () => (await database.sql('select 1 from public.rate_limits where key = $1', [stale])).length;
    expect(await count()).toBe(1);
    const other = [{ key: key(), limit: 1_000 }];
    for (let n = 0; n < 600 && (await count()) > 0; n += 1) await rateLimits.take(db, other);
    expect(await count()).toBe(0);
  });
});

describe('only the service', () => {
  it.each(['public_scans', 'public_scan_claims', 'rate_limits'])('reads or writes %s', async (table) => {
    const user = createUserDb(database, signToken(database.jwtSecret, randomUUID()));
    expect((await user.from(table).select('*')).error).not.toBeNull();
    expect((await user.from(table).delete().neq('key', '')).error).not.toBeNull();
  });

  it('calls its functions', async () => {
    const user = createUserDb(database, signToken(database.jwtSecret, randomUUID()));
    for (const [name, args] of [
      ['public_statistics', {}],
      ['take_rate_limits', { p_budgets: '[]', p_window_seconds: 60 }],
      ['finish_public_scan', { p_claim: randomUUID(), p_scan: '{}' }],
      ['newest_public_scan', { p_repo_key: 'a/b' }],
    ] as const) {
      expect((await user.rpc(name, args)).error, name).not.toBeNull();
    }
  });
});
