import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_URL, startDatabase, type TestDatabase } from '../../support/database.ts';

const name = `hosted_${randomBytes(6).toString('hex')}`;
const [alice, bob] = [randomUUID(), randomUUID()];
let local: TestDatabase;
let server: postgres.Sql;
let asSuperuser: postgres.Sql;
let asOwner: postgres.Sql;

/** A hosted project before the first migration: its owner is not a superuser and does not own the auth schema. */
const PROJECT = `
  create schema auth;
  create table auth.identities (provider_id text, user_id uuid, provider text);
  alter table auth.identities enable row level security;
  create function auth.uid() returns uuid language sql stable as $$
    select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  create function auth.jwt() returns jsonb language sql stable as $$
    select coalesce(nullif(current_setting('request.jwt.claim', true), ''),
      nullif(current_setting('request.jwt.claims', true), ''))::jsonb $$;
  grant usage on schema auth to anon, authenticated, service_role;
  grant all on schema auth to ${name};
  grant all on all tables in schema auth to ${name};
  create function public.somebody_elses() returns int language sql as 'select 1';
  alter default privileges for role ${name} in schema public grant all on tables to anon, authenticated, service_role;
  alter default privileges for role ${name} in schema public grant all on functions to anon, authenticated, service_role;
  alter default privileges for role ${name} in schema public grant all on sequences to anon, authenticated, service_role;`;

describe.skipIf(!POSTGRES_URL)('in a hosted project (skipped: TEST_DATABASE_URL is unset)', () => {
  beforeAll(async () => {
    local = await startDatabase();
    server = postgres(POSTGRES_URL ?? '', { max: 1, onnotice: () => {} });
    await server.unsafe(`create role ${name} login createdb createrole bypassrls password 'x'`);
    await server.unsafe(`create database ${name} owner ${name}`);
    const url = Object.assign(new URL(POSTGRES_URL ?? ''), { pathname: name });
    asSuperuser = postgres(url.href, { max: 1, onnotice: () => {} });
    await asSuperuser.unsafe(PROJECT);
    asOwner = postgres(Object.assign(url, { username: name, password: 'x' }).href, { max: 1, onnotice: () => {} });
    for (const file of readdirSync('supabase/migrations').sort()) {
      const sql = readFileSync(`supabase/migrations/${file}`, 'utf8');
      await asOwner.begin((transaction) => transaction.unsafe(sql));
    }
  });

  afterAll(async () => {
    await asOwner?.end();
    await asSuperuser?.end();
    await server?.unsafe(`drop database if exists ${name} with (force)`);
    await server?.unsafe(`drop role if exists ${name}`);
    await server?.end();
    await local?.stop();
  });

  const as = (role: string, claims: Readonly<Record<string, unknown>>, sql: string) =>
    asSuperuser.begin(async (transaction) => {
      await transaction`select set_config('role', ${role}, true)`;
      await transaction`select set_config('request.jwt.claims', ${JSON.stringify({ role, ...claims })}, true)`;
      return [...(await transaction.unsafe(sql))];
    });

  it('runs every migration as an owner without superuser rights', async () => {
    const [row] = await asOwner`select count(*)::int as tables from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_get_userbyid(relowner) = ${name}`;
    expect(row?.['tables']).toBeGreaterThan(15);
  });

  it('grants clients the same rights as the embedded database', async () => {
    const grants = `
      select grantee || ' ' || privilege_type || ' ' || table_name as what from information_schema.role_table_grants
      where table_schema = 'public' and grantee in ('anon', 'authenticated', 'service_role', 'PUBLIC')
      union all
      select role || ' EXECUTE ' || p.oid::regprocedure
      from unnest(array['anon', 'authenticated', 'service_role']) as role, pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'internal'::regnamespace) and p.proname <> 'somebody_elses'
        and has_function_privilege(role, p.oid, 'execute')
      union all
      select role || ' ' || privilege || ' ' || n.nspname
      from unnest(array['anon', 'authenticated', 'service_role']) as role, unnest(array['usage', 'create']) as privilege,
        pg_namespace n
      where n.nspname in ('public', 'internal') and has_schema_privilege(role, n.oid, privilege)
      order by 1`;
    const hosted = await asOwner.unsafe<{ what: string }[]>(grants);
    const embedded = await local.sql<{ what: string }>(grants);
    expect(hosted.map(({ what }) => what)).toEqual(embedded.map(({ what }) => what));
  });

  it('lets members read their own rows and others nothing', async () => {
    for (const user of [alice, bob]) {
      await as('service_role', {}, `select public.create_org('${user}', null, 'Team')`);
    }
    const own = (claims: Readonly<Record<string, unknown>>) =>
      as('authenticated', claims, 'select distinct created_by from public.organizations');
    expect(await own({ sub: alice })).toEqual([{ created_by: alice }]);
    expect(await own({ sub: bob })).toEqual([{ created_by: bob }]);
    expect(await own({ sub: randomUUID() })).toEqual([]);
    expect(await own({ sub: alice, is_anonymous: true })).toEqual([]);
    expect(await own({})).toEqual([]);
    await expect(as('anon', { sub: alice }, 'select * from public.organizations')).rejects.toThrow('permission denied');
    const writing = `insert into public.organizations (name, created_by) values ('x', '${alice}')`;
    await expect(as('authenticated', { sub: alice }, writing)).rejects.toThrow('permission denied');
    const calling = `select public.list_orgs('${bob}', null)`;
    await expect(as('authenticated', { sub: alice }, calling)).rejects.toThrow('permission denied');
  });

  it('reads a user’s sign-in accounts, which the auth server hides from others', async () => {
    await asSuperuser`insert into auth.identities values ('1234', ${alice}, 'github'), ('99', ${bob}, 'github')`;
    const rows = await as('service_role', {}, `select public.scm_identities('${alice}') as ids`);
    expect(rows).toEqual([{ ids: ['1234'] }]);
  });

  it('grants clients nothing on later objects by default', async () => {
    await asOwner`create table public.later (id int)`;
    await asOwner`create function public.later_too() returns int language sql as 'select 1'`;
    for (const role of ['anon', 'authenticated']) {
      await expect(as(role, {}, 'select * from public.later')).rejects.toThrow('permission denied');
      await expect(as(role, {}, 'select public.later_too()')).rejects.toThrow('permission denied');
    }
  });
});
