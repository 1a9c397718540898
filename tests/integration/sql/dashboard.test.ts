import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { filtered } from '../../../app/components/dashboard/findings/filters.ts';
import { createUserDb } from '../../support/data-api.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
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
import { signToken } from '../../support/token.ts';

let database: TestDatabase;
let db: AdminDb;
let one: TestRepository;
let two: TestRepository;
let reader: ReturnType<typeof createUserDb>;
let stranger: ReturnType<typeof createUserDb>;

beforeAll(async () => {
  database = await emptyDatabase();
  db = createAdminDb(database);
  const team = await makeTeam(db);
  const named = ['acme/api', 'acme/web', 'acme/gone'].map((full_name) => listed({ full_name }));
  const [api, web, gone] = await addRepositories(db, team, named);
  if (api === undefined || web === undefined || gone === undefined) throw new Error('A repository did not come in.');
  [one, two] = [api, web];
  await scan(db, gone, [finding('gone', { severity: 'HIGH' })]);
  await database.sql('update public.repositories set removed_at = now() where id = $1', [gone.repoId]);
  await scan(db, api, [
    finding('a', { severity: 'HIGH', rule_id: 'artipacked', title: '100% sure', category: 'CICD-SEC-6' }),
    finding('b', { severity: 'LOW', fixable: false, confidence: 'low' }),
    finding('left'),
  ]);
  await scan(db, api, [
    finding('a', { severity: 'HIGH', rule_id: 'artipacked', title: '100% sure', category: 'CICD-SEC-6' }),
    finding('b', { severity: 'LOW', fixable: false, confidence: 'low' }),
  ]);
  await scan(db, web, [finding('a', { severity: 'MEDIUM' }), finding('c', { severity: 'INFO', file: 'other.yml' })]);
  const decision = { reason: 'Known.', expiresAt: null, ifStatus: null } as const;
  await scans.triage(db, team.admin.id, {
    repoId: web.repoId,
    fingerprint: fingerprint('c'),
    status: 'dismissed',
    ...decision,
  });
  const member = await join(db, team);
  reader = createUserDb(database, signToken(database.jwtSecret, member.id));
  stranger = createUserDb(database, signToken(database.jwtSecret, randomUUID()));
}, 120_000);

afterAll(() => database?.stop());

type Client = typeof reader;

const HOSTILE = [
  '.github/workflows/<b>\u202Eci-Donaudampfschifffahrt.yml',
  '.github/workflows/a"b,(c).yml',
  '.github/workflows/back\\slash.yml',
  ".github/workflows/it's 50%_off.yml",
  '.github/workflows/&amp;.yml',
];

async function rows<Row = Record<string, unknown>>(
  query: PromiseLike<{ readonly data: unknown; readonly error: { readonly message: string } | null }>,
): Promise<readonly Row[]> {
  const { data, error } = await query;
  if (error !== null) throw new Error(error.message);
  return data as readonly Row[];
}

describe('current_findings', () => {
  it('has what the last scan of each repository found, worst first, with the repository', async () => {
    const found = await rows(
      reader
        .from('current_findings')
        .select('full_name, private, fingerprint, severity, severity_rank, status')
        .eq('org_id', one.orgId)
        .order('severity_rank', { ascending: false }),
    );
    expect(found.map(({ full_name, severity, status }) => [full_name, severity, status])).toEqual([
      ['acme/api', 'HIGH', 'open'],
      ['acme/web', 'MEDIUM', 'open'],
      ['acme/api', 'LOW', 'open'],
      ['acme/web', 'INFO', 'dismissed'],
    ]);
  });

  it('leaves out what left with its installation', async () => {
    await database.sql('update public.installations set removed_at = now()');
    expect(await rows(reader.from('current_findings').select('fingerprint'))).toEqual([]);
    expect(await rows(reader.from('repository_overview').select('id'))).toEqual([]);
    await database.sql('update public.installations set removed_at = null');
  });

  it('shows strangers nothing', async () => {
    expect(await rows(stranger.from('current_findings').select('*').eq('org_id', one.orgId))).toEqual([]);
    expect(await rows(stranger.from('repository_overview').select('*').eq('org_id', one.orgId))).toEqual([]);
  });
});

describe('search_text', () => {
  const searched = async (pattern: string) =>
    (await rows(reader.from('current_findings').select('full_name').like('search_text', pattern))).length;

  it('is found by a part of the title or the file, with letters of ASCII in small', async () => {
    expect(await searched('%100\\% sure%')).toBe(1);
    expect(await searched('%other.y%')).toBe(1);
    expect(await searched('%title%')).toBe(3);
    expect(await searched('%Title%')).toBe(0);
    expect(await searched('%0_%')).toBe(1);
    expect(await searched('%0\\_%')).toBe(0);
  });
});

describe('the filter of a text', () => {
  const ANY = { status: 'any' as const, sev: [], rule: null, repo: null, cat: null, conf: null, fix: null, age: null };

  it('finds each hostile name by a part of it, and no other', async () => {
    const team = await makeTeam(db);
    const [repository] = await addRepositories(db, team, [listed({ full_name: 'acme/hostile' })]);
    if (repository === undefined) throw new Error('The repository did not come in.');
    await scan(
      db,
      repository,
      HOSTILE.map((file, index) => finding(`hostile-${index}`, { file })),
    );
    const client = createUserDb(database, signToken(database.jwtSecret, team.admin.id));
    for (const [index, part] of ['<b>', '"b,(c)', '\\slash', "it's 50%_", '&amp;'].entries()) {
      const all = client.from('current_findings').select('file').eq('org_id', team.orgId);
      const found = await rows<{ file: string }>(filtered(all, { ...ANY, seen: 'present' as const, q: part }));
      expect(
        found.map(({ file }) => file),
        part,
      ).toEqual([HOSTILE[index]]);
    }
  });
});

describe('repository_overview', () => {
  it('has every repository with the counts of its last scan, and those without a scan', async () => {
    const [fresh] = await addRepositories(db, one, [listed({ full_name: 'acme/zero' })]);
    const found = await rows(
      reader.from('repository_overview').select('full_name, high, low, findings, ruleset').order('full_name'),
    );
    expect(found).toEqual([
      { full_name: 'acme/api', high: 1, low: 1, findings: 2, ruleset: 'all' },
      { full_name: 'acme/web', high: 0, low: 0, findings: 2, ruleset: 'all' },
      { full_name: 'acme/zero', high: null, low: null, findings: null, ruleset: null },
    ]);
    await database.sql('delete from public.repositories where id = $1', [fresh?.repoId]);
  });
});

const groups = (client: Client, by: string, filters: object = {}) =>
  rows<{ key: string; findings: number }>(
    client.rpc('read_finding_groups', { p_org_id: one.orgId, p_by: by, p_filters: JSON.stringify(filters) }),
  );

describe('read_finding_groups', () => {
  it('totals current findings by rule, worst first', async () => {
    expect(await groups(reader, 'rule')).toEqual([
      {
        key: 'artipacked',
        name: '100% sure',
        findings: 1,
        high: 1,
        medium: 0,
        low: 0,
        info: 0,
        repositories: 1,
        fixable: 1,
        newest_at: expect.any(String),
      },
      {
        key: 'unpinned-uses',
        name: 'Title',
        findings: 3,
        high: 0,
        medium: 1,
        low: 1,
        info: 1,
        repositories: 2,
        fixable: 2,
        newest_at: expect.any(String),
      },
    ]);
  });

  it('totals by repository and category', async () => {
    const named = (await groups(reader, 'repository')).map(({ key, findings, ...rest }) => [
      key,
      (rest as { name?: string }).name,
      findings,
    ]);
    expect(named).toEqual([
      [one.repoId, 'acme/api', 2],
      [two.repoId, 'acme/web', 2],
    ]);
    expect((await groups(reader, 'category')).map(({ key, findings }) => [key, findings])).toEqual([
      ['CICD-SEC-6', 1],
      ['CICD-SEC-3', 3],
    ]);
  });

  it.each<[object, number]>([
    [{ status: ['open'] }, 3],
    [{ status: ['dismissed', 'snoozed'] }, 1],
    [{ status: [] }, 0],
    [{ severity: ['HIGH', 'LOW'] }, 2],
    [{ confidence: ['low'] }, 1],
    [{ category: ['CICD-SEC-6'] }, 1],
    [{ rule_id: ['artipacked'] }, 1],
    [{ fixable: false }, 1],
    [{ since: '2020-01-01T00:00:00Z' }, 4],
    [{ since: '2100-01-01T00:00:00Z' }, 0],
    [{ q: '100%' }, 1],
    [{ q: '%' }, 1],
    [{ q: '_' }, 0],
    [{ q: 'OTHER.yml' }, 1],
    [{ severity: ['MEDIUM', 'INFO'], status: ['open'], q: 'title' }, 1],
  ])('filters by %j', async (filters, count) => {
    const found = await groups(reader, 'rule', filters);
    expect(found.reduce((sum, { findings }) => sum + findings, 0)).toBe(count);
  });

  it('filters by repository', async () => {
    expect((await groups(reader, 'repository', { repo_id: [two.repoId] })).map(({ key }) => key)).toEqual([two.repoId]);
  });

  it.each<[string, string, string]>([
    ['another grouping', 'file', '{}'],
    ['no JSON', 'rule', 'x'],
    ['a list', 'rule', '[]'],
    ['an unknown name', 'rule', '{"line":[1]}'],
    ['a wrong type', 'rule', '{"severity":"HIGH"}'],
    ['no time', 'rule', '{"since":"x"}'],
    ['a long text', 'rule', `{"q":"${'x'.repeat(50_000)}"}`],
  ])('refuses %s', async (_, p_by, p_filters) => {
    const { status } = await reader.rpc('read_finding_groups', { p_org_id: one.orgId, p_by, p_filters });
    expect(status).toBe(400);
  });

  it('shows strangers nothing', async () => {
    expect(await groups(stranger, 'repository')).toEqual([]);
  });
});

describe('read_open_counts', () => {
  const counts = (client: Client) => rows(client.rpc('read_open_counts', { p_org_id: one.orgId }));

  it('counts the open findings that current_findings lists', async () => {
    const open = await rows<{ severity: string }>(
      reader.from('current_findings').select('severity').eq('status', 'open'),
    );
    const of = (severity: string) => open.filter((row) => row.severity === severity).length;
    expect(await counts(reader)).toEqual([
      { high: of('HIGH'), medium: of('MEDIUM'), low: of('LOW'), info: of('INFO') },
    ]);
    expect(open).toHaveLength(3);
  });

  it('counts nothing for strangers', async () => {
    expect(await counts(stranger)).toEqual([{ high: 0, medium: 0, low: 0, info: 0 }]);
  });
});

const overTime = (client: Client, days: number) =>
  rows<{ day: string; high: number; medium: number; low: number; info: number }>(
    client.rpc('read_open_over_time', { p_org_id: one.orgId, p_days: days }),
  );

describe('read_open_over_time', () => {
  const now = new Date();
  const day = (ago: number) => new Date(now.getTime() - ago * 86_400_000).toISOString().slice(0, 10);

  it('sums at the end of each day what the last scans until then found', async () => {
    await database.sql(
      `update public.scans set finished_at = $2::timestamptz where repo_id = $1 and new_findings > 0`,
      [one.repoId, `${day(2)}T12:00:00Z`],
    );
    const open = await overTime(reader, 4);
    expect(open.map((each) => [each.day, each.high, each.medium, each.low, each.info])).toEqual([
      [day(3), 0, 0, 0, 0],
      [day(2), 1, 1, 1, 0],
      [day(1), 1, 1, 1, 0],
      [day(0), 1, 1, 1, 0],
    ]);
    expect(await overTime(reader, 2)).toEqual(open.slice(2));
    expect(await overTime(reader, 1)).toEqual(open.slice(3));
  });

  it('follows triage and refuses other ranges', async () => {
    const [today] = await overTime(reader, 1);
    const decision = {
      repoId: one.repoId,
      fingerprint: fingerprint('a'),
      reason: null,
      expiresAt: null,
      ifStatus: null,
    };
    await scans.triage(db, one.admin.id, { ...decision, status: 'dismissed' });
    expect((await overTime(reader, 1))[0]).toEqual({ ...today, high: (today?.high ?? 0) - 1 });
    await scans.triage(db, one.admin.id, { ...decision, status: 'open' });
    for (const days of [0, -1, 401]) {
      expect((await reader.rpc('read_open_over_time', { p_org_id: one.orgId, p_days: days })).status).toBe(400);
    }
    expect(await overTime(reader, 400)).toHaveLength(400);
  });

  it('shows strangers zeros', async () => {
    expect(await overTime(stranger, 1)).toEqual([{ day: day(0), high: 0, medium: 0, low: 0, info: 0 }]);
  });
});

describe('read_org_pulse', () => {
  const pulse = async (client: Client) =>
    Object.fromEntries(
      (
        await rows<{ topic: string; newest_at: string | null; total: number }>(
          client.rpc('read_org_pulse', { p_org_id: one.orgId }),
        )
      ).map(({ topic, newest_at, total }) => [topic, [total, newest_at] as const]),
    );

  it('moves with each scan, decision and switch of a rule', async () => {
    const before = await pulse(reader);
    expect(Object.keys(before).sort()).toEqual(['campaigns', 'repositories', 'rules', 'scans', 'triage']);
    await scan(db, two, [finding('a', { severity: 'MEDIUM' }), finding('c', { severity: 'INFO', file: 'other.yml' })]);
    const scanned = await pulse(reader);
    expect(scanned['scans']?.[0]).toBe((before['scans']?.[0] ?? 0) + 1);
    expect(scanned['scans']?.[1]).not.toBe(before['scans']?.[1]);
    expect(scanned['repositories']?.[1]).not.toBe(before['repositories']?.[1]);
    expect(scanned['triage']).toEqual(before['triage']);
  });

  it('shows strangers nothing', async () => {
    expect(new Set(Object.values(await pulse(stranger)).flat())).toEqual(new Set([0, null]));
  });
});

describe('read_findings_in_paths', () => {
  const asked = (client: Client, orgId: string, names: readonly string[]) =>
    rows(
      client.rpc('read_findings_in_paths', {
        p_org_id: orgId,
        p_findings: JSON.stringify(names.map((name) => ({ repo_id: one.repoId, fingerprint: fingerprint(name) }))),
      }),
    );

  beforeAll(async () => {
    const paths = [['a', 'b'], ['a']].map((names) => ({ components: names.map((name) => fingerprint(name)) }));
    await database.sql(
      `insert into public.attack_path_sets (repo_id, org_id, scan_id, engine, private, basis, disabled, rules, matched,
         total, critical, high, gaps, gaps_key, paths, findings)
       select id, org_id, last_scan_id, 'e', private, 'b', '{}', '{}', '{}', 2, 0, 0, '[]', '', $2::text::jsonb, '{}'
       from public.repositories where id = $1`,
      [one.repoId, JSON.stringify(paths)],
    );
  });

  it('counts the paths of each finding that is in one, asked for once or twice', async () => {
    const found = await asked(reader, one.orgId, ['a', 'a', 'b', 'c']);
    expect(found.toSorted((x, y) => Number(y['paths']) - Number(x['paths']))).toEqual([
      { repo_id: one.repoId, fingerprint: fingerprint('a'), paths: 2 },
      { repo_id: one.repoId, fingerprint: fingerprint('b'), paths: 1 },
    ]);
  });

  it('shows nothing to strangers, for another organization, and of a scan that is not the last', async () => {
    expect(await asked(stranger, one.orgId, ['a'])).toEqual([]);
    expect(await asked(reader, randomUUID(), ['a'])).toEqual([]);
    const [before] = await database.sql<{ last_scan_id: string }>(
      'select last_scan_id from public.repositories where id = $1',
      [one.repoId],
    );
    await database.sql('update public.repositories set last_scan_id = null where id = $1', [one.repoId]);
    expect(await asked(reader, one.orgId, ['a'])).toEqual([]);
    await database.sql('update public.repositories set last_scan_id = $2 where id = $1', [
      one.repoId,
      before?.last_scan_id ?? null,
    ]);
  });
});

describe('read_used_actions', () => {
  const used = (client: Client) => rows(client.rpc('read_used_actions', { p_org_id: one.orgId }));
  const use = { owner: 'acme', name: 'deploy', path: '', ref: 'v1', file: '.github/workflows/ci.yml', line: 7 };

  it('counts the repositories and uses of each action, whatever the case of its name, without repositories that left', async () => {
    await scan(db, one, [], { action_uses: [use, { ...use, line: 9 }, { ...use, name: 'build' }] });
    await scan(db, two, [], { action_uses: [{ ...use, owner: 'Acme' }] });
    await database.sql(
      `insert into public.action_uses (org_id, repo_id, scan_id, owner, name, path, ref, file, line)
       select org_id, id, last_scan_id, 'acme', 'gone', '', 'v1', 'a.yml', 1 from public.repositories
       where removed_at is not null and org_id = $1`,
      [one.orgId],
    );
    expect(await used(reader)).toEqual([
      expect.objectContaining({ name: 'deploy', repositories: 2, uses: 3 }),
      { owner: 'acme', name: 'build', repositories: 1, uses: 1 },
    ]);
  });

  it('shows strangers nothing', async () => {
    expect(await used(stranger)).toEqual([]);
  });
});

describe('rows from before the dashboard', () => {
  it('get its columns from the last scan that found them', async () => {
    const columns = 'severity, severity_rank, confidence, category, title, file, line, fixable, present';
    const ledger = () =>
      database.sql(`select repo_id, fingerprint, ${columns} from public.finding_ledger order by repo_id, fingerprint`);
    const assessed = () => database.sql('select id, not_assessed from public.scans order by id');
    const [before, scansBefore] = [await ledger(), await assessed()];
    expect(before.length).toBeGreaterThan(5);
    await database.sql('drop view public.current_findings, public.repository_overview');
    await database.sql(
      `alter table public.finding_ledger ${columns
        .split(', ')
        .map((column) => `drop column if exists ${column} cascade`)
        .join()}, drop column returned_at`,
    );
    await database.sql('alter table public.scans drop column not_assessed, drop column diagnostics');
    const migration = readFileSync('supabase/migrations/20261125000000_dashboard.sql', 'utf8');
    const upgrade = migration.slice(
      migration.indexOf('alter table public.finding_ledger'),
      migration.indexOf('-- As before, with what the dashboard shows.'),
    );
    await database.sql(`create function internal.run(p_sql text) returns void language plpgsql
      as $run$ begin execute p_sql; end $run$`);
    await database.sql('select internal.run($1)', [upgrade]);
    expect([await ledger(), await assessed()]).toEqual([before, scansBefore]);
  });
});
