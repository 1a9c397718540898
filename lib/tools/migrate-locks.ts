import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';

export interface Migration {
  readonly name: string;
  readonly version: string;
  readonly sql: string;
}

interface Applied {
  readonly ms: number;
  /** Locks on tables that were there before and that keep requests waiting, such as `ExclusiveLock findings`. */
  readonly locks: readonly string[];
}

const FINDINGS = 50_000;
const FINDINGS_PER_SCAN = 100;

export async function applyMigration(
  server: postgres.Sql,
  { version, name, sql }: Migration,
  { lockTimeout }: { readonly lockTimeout: string },
): Promise<Applied> {
  await server`create schema if not exists supabase_migrations`;
  await server`create table if not exists supabase_migrations.schema_migrations (
    version text primary key, statements text[], name text)`;
  const before = await server<{ oid: number }[]>`
    select oid::int from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  const started = performance.now();
  const locks = await server.begin(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = '${lockTimeout}'`);
    await transaction.unsafe(sql);
    const title = name.slice(version.length + 1).replace(/\.sql$/, '');
    await transaction`insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${version}, ${title}, ${[sql]})`;
    return transaction<{ lock: string }[]>`
      select distinct l.mode || ' ' || c.relname as lock from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = pg_backend_pid() and c.oid::int = any (${before.map(({ oid }) => oid)})
        and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') order by 1`;
  });
  return { ms: Math.round(performance.now() - started), locks: locks.map(({ lock }) => lock) };
}

export const HOSTED_PROJECT = `
  create role anon; create role authenticated; create role service_role bypassrls;
  create schema auth;
  create table auth.identities (provider_id text, user_id uuid, provider text);
  create function auth.uid() returns uuid language sql stable as
    $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  create function auth.jwt() returns jsonb language sql stable as
    $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$`;

export async function printLocks(migrations: readonly Migration[]): Promise<void> {
  const programs = findPrograms();
  const postgresServer = await startPostgres(programs.postgres);
  const server = postgres(postgresServer.url, { max: 1, onnotice: () => {} });
  const other = postgres(postgresServer.url, { max: 2, onnotice: () => {} });
  try {
    await server.unsafe(HOSTED_PROJECT);
    const rows: string[][] = [];
    for (const migration of migrations) {
      const waits = (await isSeeded(server)) ? startRequests(other) : null;
      const { ms, locks } = await applyMigration(server, migration, { lockTimeout: '30s' });
      const { read, write } = (await waits?.stop()) ?? { read: '–', write: '–' };
      rows.push([migration.name, String(ms), String(read), String(write), locks.join(', ') || 'none']);
      if (!(await isSeeded(server)) && (await hasLedger(server))) await seed(server);
    }
    const [{ n } = { n: 0 }] = await server<{ n: number }[]>`select count(*)::int as n from public.findings`;
    process.stdout.write(`On ${n} findings, in milliseconds; the longest wait of a read and of a write meanwhile.\n\n`);
    const heading = ['migration', 'ms', 'read', 'write', 'locks on tables that were there'];
    for (const row of [heading, heading.map(() => '---'), ...rows]) process.stdout.write(`| ${row.join(' | ')} |\n`);
  } finally {
    await Promise.all([server.end(), other.end()]);
    await postgresServer.remove();
  }
}

async function isSeeded(server: postgres.Sql): Promise<boolean> {
  if (!(await hasLedger(server))) return false;
  const [row] = await server`select exists (select from public.findings) as seeded`;
  return row?.['seeded'] === true;
}

async function hasLedger(server: postgres.Sql): Promise<boolean> {
  const [row] = await server`select to_regclass('public.finding_ledger') is not null as known`;
  return row?.['known'] === true;
}

async function seed(server: postgres.Sql): Promise<void> {
  await server.unsafe(`
    insert into public.organizations (id, name, created_by) values (md5('org')::uuid, 'Acme', md5('user')::uuid);
    insert into public.installations (org_id, user_id, installation_id, account, account_type)
    values (md5('org')::uuid, md5('user')::uuid, 1, 'acme', 'Organization');
    insert into public.repositories (id, org_id, user_id, installation_id, scm_id, full_name, private, html_url)
    select md5('r' || n)::uuid, md5('org')::uuid, md5('user')::uuid, 1, n::text, 'acme/r' || n, true, 'https://code.example/acme/r' || n
    from generate_series(1, ${FINDINGS / FINDINGS_PER_SCAN}) as n;
    insert into public.scans (id, repo_id, org_id, user_id, trigger, ruleset, workflow_files, low, findings, new_findings, started_at)
    select md5('s' || scm_id)::uuid, id, org_id, user_id, 'manual', 'all', 1, ${FINDINGS_PER_SCAN}, ${FINDINGS_PER_SCAN}, ${FINDINGS_PER_SCAN}, now()
    from public.repositories;
    insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
      file, line, description, recommendation, fixable)
    select s.id, s.repo_id, s.org_id, repeat(md5('f' || n), 2), 'unpinned-action', 'LOW', 'high', 'CICD-SEC-3', 'Unpinned action',
      '.github/workflows/ci.yml', n, 'Text of a finding.', 'Text of a recommendation.', true
    from public.scans s, generate_series(1, ${FINDINGS_PER_SCAN}) as n;
    insert into public.finding_ledger (repo_id, org_id, fingerprint, rule_id, first_seen_at, first_scan_id, last_seen_at, last_scan_id)
    select repo_id, org_id, fingerprint, rule_id, now(), scan_id, now(), scan_id from public.findings;
    update public.repositories r set last_scan_id = s.id from public.scans s where s.repo_id = r.id;
    analyze`);
}

function startRequests(server: postgres.Sql) {
  const ended = new AbortController();
  const repeat = async (ask: () => Promise<unknown>): Promise<number> => {
    let longest = 0;
    while (!ended.signal.aborted) {
      const started = performance.now();
      await ask();
      longest = Math.max(longest, performance.now() - started);
      await delay(5);
    }
    return Math.round(longest);
  };
  const read = repeat(() => server`select count(*) from public.findings where repo_id = md5('r1')::uuid`);
  const write = repeat(
    () => server`update public.finding_ledger set updated_at = now() where repo_id = md5('r2')::uuid`,
  );
  return {
    async stop() {
      ended.abort();
      return { read: await read, write: await write };
    },
  };
}
