import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import { readCatalog } from '../../support/catalog.ts';
import { startDatabase, type TestDatabase } from '../../support/database.ts';
import { finding, makeRepository, prepareScan } from '../../support/repository.ts';

let database: TestDatabase;
const orgs = Array.from({ length: 21 }, () => randomUUID());
const [large = '', small = ''] = orgs;
let repoId = '';
let scanId = '';
let fingerprint = '';

const SEED = [
  `insert into public.organizations (id, name, created_by) select o, 'Org', o from unnest($1::uuid[]) as o`,
  `insert into public.org_members (org_id, user_id, role) select o, o, 'admin' from unnest($1::uuid[]) as o`,
  `insert into public.installations (org_id, user_id, installation_id, account, account_type)
   select o, o, n, 'acme' || n, 'Organization' from unnest($1::uuid[]) as o, generate_series(1, 50) as n`,
  `insert into public.repositories (org_id, user_id, installation_id, scm_id, full_name, private, html_url)
   select o, o, 1, (place * 100000 + n)::text, 'acme/r' || n, true, 'https://code.example/acme/r' || n
   from unnest($1::uuid[]) with ordinality as u (o, place), generate_series(1, case when place = 1 then 30 else 3 end) as n`,
  ...['1 day', '0'].map(
    (
      age,
    ) => `insert into public.scans (repo_id, org_id, user_id, trigger, ruleset, workflow_files, started_at, finished_at)
     select id, org_id, org_id, 'push', 'all', 3, now(), now() - interval '${age}' from public.repositories where $1::uuid[] is not null`,
  ),
  `insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
     file, line, description, recommendation, fixable)
   select s.id, s.repo_id, s.org_id, encode(sha256((n || s.repo_id::text)::bytea), 'hex'), 'rule-' || n,
     (array['HIGH', 'MEDIUM', 'LOW', 'INFO'])[1 + n % 4], 'high', 'CICD-SEC-3', 'Title', 'ci.yml', n, repeat('d', 300),
     repeat('r', 200), true
   from public.scans s, generate_series(1, 15) as n where $1::uuid[] is not null`,
  `update public.repositories r set last_scan_id =
     (select s.id from public.scans s where s.repo_id = r.id order by s.finished_at desc limit 1) where $1::uuid[] is not null`,
  `insert into public.finding_ledger (repo_id, org_id, fingerprint, rule_id, status, expires_at, first_seen_at, first_scan_id,
     last_seen_at, last_scan_id, severity, severity_rank, confidence, category, title, file, line, fixable, present)
   select f.repo_id, f.org_id, f.fingerprint, f.rule_id, case when f.line = 1 then 'snoozed' else 'open' end,
     case when f.line = 1 then now() + interval '1 day' end, now(), f.scan_id, now(), f.scan_id,
     f.severity, internal.severity_rank(f.severity), f.confidence, f.category, f.title, f.file, f.line, f.fixable, true
   from public.findings f join public.repositories r on r.last_scan_id = f.scan_id where $1::uuid[] is not null`,
  `insert into public.triage_events (repo_id, org_id, fingerprint, from_status, to_status)
   select repo_id, org_id, fingerprint, 'open', status from public.finding_ledger where $1::uuid[] is not null`,
];

const EXPLAIN = `
  create function internal.explain_as(p_user uuid, p_query text) returns jsonb language plpgsql as $$
  declare v_plan json;
  begin
    perform set_config('enable_seqscan', 'off', true);
    perform set_config('request.jwt.claims', json_build_object('sub', p_user, 'role', 'authenticated')::text, true);
    perform set_config('request.jwt.claim.sub', p_user::text, true);
    perform set_config('role', case when p_user is null then 'service_role' else 'authenticated' end, true);
    execute 'explain (analyze, verbose, format json) ' || p_query into v_plan;
    perform set_config('role', 'none', true);
    perform set_config('enable_seqscan', 'on', true);
    return v_plan -> 0 -> 'Plan';
  end $$`;

const READS_OF_SCAN = `
  create function internal.reads_of_scan(p_scan text) returns bigint language plpgsql as $$
  begin
    perform public.persist_scan(p_scan);
    return (
      select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables
      where relname in ('findings', 'finding_ledger'));
  end $$`;

beforeAll(async () => {
  database = await startDatabase();
  for (const statement of SEED) await database.sql(statement, [`{${orgs.join()}}`]);
  await database.sql('analyze');
  await database.sql(EXPLAIN);
  const [row] = await database.sql<{ repo: string; scan: string; fingerprint: string }>(
    `select r.id as repo, r.last_scan_id as scan, f.fingerprint from public.repositories r
       join public.findings f on f.scan_id = r.last_scan_id where r.org_id = $1 limit 1`,
    [large],
  );
  repoId = row?.repo ?? '';
  scanId = row?.scan ?? '';
  fingerprint = row?.fingerprint ?? '';
}, 120_000);

afterAll(() => database?.stop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Loops': number;
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const SELECTIVE = /\b(id|org_id|installation_id|repo_id|scan_id|last_scan_id|scm_id|user_id|expires_at) /;
const SCANS = ['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Index Scan'];

async function explain(user: string | null, query: string) {
  const [row] = await database.sql<{ plan: Plan }>('select internal.explain_as($1, $2) as plan', [user, query]);
  if (row === undefined) throw new Error('There is no plan.');
  const nodes = nodesOf(row.plan);
  return {
    scanned: nodes
      .filter((node) => SCANS.includes(node['Node Type']) && !SELECTIVE.test(node['Index Cond'] ?? ''))
      .map((node) => `${node['Node Type']} ${node['Relation Name']}`),
    asked: nodes
      .filter(({ Output }) => Output?.some((column) => column.includes('my_orgs()')))
      .filter(({ 'Node Type': type }) => type === 'ProjectSet' || type === 'Function Scan')
      .map((node) => node['Actual Loops']),
  };
}

const READS: readonly (readonly [what: string, user: string, query: () => string])[] = [
  [
    'the last scan of a repository',
    large,
    () => `findings where repo_id = '${repoId}' and scan_id = '${scanId}' order by severity, rule_id`,
  ],
  ['the findings of a scan', large, () => `findings where scan_id = '${scanId}' order by severity`],
  [
    'a page of the findings at HIGH',
    large,
    () => `findings where org_id = '${large}' and severity = 'HIGH' order by rule_id limit 50`,
  ],
  [
    'a later page of all findings',
    small,
    () => `findings where org_id = '${small}' order by severity, rule_id limit 50 offset 100`,
  ],
  ['findings without naming the organization', small, () => `findings where severity = 'HIGH' limit 50`],
  ['the ledger of a repository', large, () => `finding_ledger where repo_id = '${repoId}'`],
  ['the ledger by status', small, () => `finding_ledger where org_id = '${small}' and status = 'open'`],
  ['the ledger by status, without naming the organization', small, () => `finding_ledger where status = 'snoozed'`],
  [
    'one finding in the ledger',
    large,
    () => `finding_ledger where repo_id = '${repoId}' and fingerprint = '${fingerprint}'`,
  ],
  [
    'the history of a finding',
    large,
    () => `triage_events where repo_id = '${repoId}' and fingerprint = '${fingerprint}' order by created_at desc`,
  ],
  ['the last triage', small, () => `triage_events where org_id = '${small}' order by created_at desc limit 20`],
  ['the scans of a repository', large, () => `scans where repo_id = '${repoId}' order by finished_at desc limit 20`],
  ['the last scans', small, () => `scans where org_id = '${small}' order by finished_at desc limit 20`],
  ['repositories by name', large, () => `repositories where org_id = '${large}' order by full_name limit 50`],
  [
    'the last switches of rules',
    small,
    () => `rule_events where org_id = '${small}' order by created_at desc limit 20`,
  ],
  ['a few repositories', small, () => `repositories where org_id = '${small}' order by full_name limit 50`],
];

describe('a direct read uses an index and looks up memberships once:', () => {
  it.each(READS)('%s', async (_what, user, query) => {
    expect(await explain(user, `select * from public.${query()}`)).toEqual({ scanned: [], asked: [1] });
  });

  it.each(READS)('the count of %s', async (_what, user, query) => {
    const counted = `select count(*) from (select 1 from public.${query()}) as counted`;
    expect((await explain(user, counted)).scanned).toEqual([]);
  });

  it('findings with their repositories, of last scans only', async () => {
    const { scanned, asked } = await explain(
      small,
      `select f.*, r.full_name from public.findings f
         join public.scans s on s.id = f.scan_id join public.repositories r on r.last_scan_id = s.id
       where f.org_id = '${small}' and f.severity = 'HIGH'`,
    );
    expect(scanned).toEqual([]);
    expect(asked).toEqual([1, 1, 1]);
  });
});

const VIEWS: typeof READS = [
  [
    'a page of current findings, worst first',
    large,
    () =>
      `current_findings where org_id = '${large}' and status = 'open'
         order by severity_rank desc, first_seen_at desc, repo_id, fingerprint limit 50`,
  ],
  ['current findings of a rule', small, () => `current_findings where org_id = '${small}' and rule_id = 'rule-3'`],
  [
    'current findings of a repository',
    large,
    () => `current_findings where org_id = '${large}' and repo_id = '${repoId}'`,
  ],
  [
    'repositories with their last scan',
    small,
    () => `repository_overview where org_id = '${small}' order by full_name`,
  ],
];

describe('a view uses indexes and looks up memberships once for each table:', () => {
  it.each(VIEWS)('%s', async (_what, user, query) => {
    const { scanned, asked } = await explain(user, `select * from public.${query()}`);
    expect([scanned, new Set(asked)]).toEqual([[], new Set([1])]);
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

describe('a query of the service uses an index:', () => {
  it.each([
    ['the repository of a push', `select * from public.repositories where scm_id = '100001'`],
    ['expired triage', 'select * from public.finding_ledger where expires_at <= now()'],
    [
      'repositories monitored by a person',
      `select * from public.repositories where org_id = '${small}' and monitored_by = '${small}' and monitored`,
    ],
    ['triaged findings', `select * from public.finding_ledger where org_id = '${small}' and status <> 'open'`],
    ['memberships of a user', `select * from public.org_members where user_id = '${small}'`],
  ])('%s', async (_what, query) => {
    expect((await explain(null, query)).scanned).toEqual([]);
  });

  it('rows that refer to a deleted one', async () => {
    const { tables } = await readCatalog(database);
    const indexes = await database.sql<{ table: string; column: string }>(`
      select c.relname as table, a.attname as column
      from pg_index i join pg_class c on c.oid = i.indrelid
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where c.relnamespace = 'public'::regnamespace and i.indpred is null`);
    const missing = tables.flatMap(({ name, foreignKeys }) =>
      foreignKeys
        .filter(({ columns }) => !indexes.some((index) => index.table === name && columns.includes(index.column)))
        .map((key) => key.name),
    );
    expect(missing).toEqual([]);
  });
});

it('a large scan is stored without comparing its findings with each other, whatever is known of smaller ones', async () => {
  const COUNT = 500;
  await database.sql(READS_OF_SCAN);
  const db = createAdminDb(database);
  const repository = await makeRepository(db);
  const findings = Array.from({ length: COUNT }, (_, n) => finding(`finding ${n}`, { severity: 'HIGH' }));
  for (let time = 0; time < 2; time += 1) {
    const { evidence: _, ...scan } = await prepareScan(db, repository, findings);
    const [row] = await database.sql<{ reads: string }>('select internal.reads_of_scan($1) as reads', [
      JSON.stringify(scan),
    ]);
    expect(Number(row?.reads)).toBeLessThan(COUNT ** 2 / 5);
  }
});
