import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { type DatabaseOptions, startDatabase as startEmbedded } from '#lib/embedded/database.ts';
import { readTemplate, templateDigest } from './template.ts';

export interface TestDatabase {
  readonly url: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  readonly timeoutMs: number;
  readonly sql: <Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;
  readonly stop: () => Promise<void>;
}

export type Keys = Pick<TestDatabase, 'publishableKey' | 'secretKey' | 'jwtSecret'>;

export const POSTGRES_URL = process.env['TEST_DATABASE_URL'];

/** Serializes set-up over all processes, since roles are shared by the whole server. */
const SET_UP_LOCK = 5_240_913;

interface TestDatabaseOptions extends Pick<DatabaseOptions, 'codeHost' | 'port' | 'siteUrl' | 'upkeepEveryMs'> {
  readonly keys?: Keys;
}

export async function startDatabase({
  keys = makeKeys(),
  ...options
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  if (!POSTGRES_URL) {
    return {
      ...keys,
      ...typed(await startEmbedded({ store: { archive: await readTemplate() }, ...keys, ...options })),
    };
  }
  const name = `chainbreak_test_${randomBytes(6).toString('hex')}`;
  const server = postgres(POSTGRES_URL, { max: 1, onnotice: () => {} });
  try {
    await server`select pg_advisory_lock(${SET_UP_LOCK})`;
    await server.unsafe(`create database ${name} template ${await makeTemplate(server, keys)}`);
    const database = await startEmbedded({ store: { postgresUrl: urlOf(name) }, ...keys, ...options });
    await server`select pg_advisory_unlock(${SET_UP_LOCK})`;
    const stop = async () => {
      await database.stop();
      await server.unsafe(`drop database ${name} with (force)`);
      await server.end();
    };
    return { ...keys, ...typed(database), stop };
  } catch (error) {
    await server.unsafe(`drop database if exists ${name} with (force)`);
    await server.end();
    throw error;
  }
}

export async function startDatabaseOn(postgresUrl: string): Promise<TestDatabase> {
  const keys = makeKeys();
  return { ...keys, ...typed(await startEmbedded({ store: { postgresUrl }, ...keys })) };
}

let shared: Promise<TestDatabase> | undefined;

export async function sharedDatabase(): Promise<TestDatabase> {
  shared ??= startDatabase();
  const database = await shared;
  await database.sql('delete from public.rate_limits');
  return { ...database, stop: () => Promise.resolve() };
}

const used: { readonly database: TestDatabase; readonly schema: string }[] = [];

export async function emptyDatabase(): Promise<TestDatabase> {
  const { database, schema } = used.pop() ?? (await newDatabase());
  await deleteRows(database);
  const stop = async () => {
    if ((await schemaOf(database)) === schema) used.push({ database, schema });
    else await database.stop();
  };
  return { ...database, stop };
}

async function newDatabase(): Promise<(typeof used)[number]> {
  const database = await startDatabase();
  return { database, schema: await schemaOf(database) };
}

/** Ids change when something is made again, so equal ids and rights mean an equal schema. */
async function schemaOf({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<{ schema: string }>(`
    select string_agg(part, ' ' order by part) as schema from (
      select concat(oid, relacl, relrowsecurity) as part from pg_catalog.pg_class
      where relnamespace in ('auth'::regnamespace, 'internal'::regnamespace, 'public'::regnamespace)
      union all
      select concat(attrelid, attname, atttypid, attnotnull, attisdropped, attacl)
      from pg_catalog.pg_attribute join pg_catalog.pg_class on pg_class.oid = attrelid
      where relnamespace in ('auth'::regnamespace, 'internal'::regnamespace, 'public'::regnamespace)
      union all
      select concat(oid, proacl, md5(prosrc)) from pg_catalog.pg_proc
      where pronamespace in ('auth'::regnamespace, 'internal'::regnamespace, 'public'::regnamespace)
      union all select concat(oid, polroles, polqual, polwithcheck) from pg_catalog.pg_policy
      union all select concat(oid, tgenabled) from pg_catalog.pg_trigger
      union all select oid::text from pg_catalog.pg_constraint) as parts`);
  return row?.schema ?? '';
}

export async function deleteRows(database: TestDatabase): Promise<void> {
  const tables = await database.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_catalog.pg_tables
     where schemaname in ('auth', 'internal', 'public')`,
  );
  await database.sql(`truncate ${tables.map(({ name }) => name).join(', ')} restart identity`);
}

export function makeKeys(): Keys {
  return {
    publishableKey: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secretKey: `sb_secret_${randomBytes(24).toString('base64url')}`,
    jwtSecret: randomBytes(32).toString('hex'),
  };
}

const urlOf = (name: string) => Object.assign(new URL(POSTGRES_URL ?? ''), { pathname: name }).href;

async function makeTemplate(server: postgres.Sql, keys: Keys): Promise<string> {
  const name = `chainbreak_template_${await templateDigest()}`;
  const found = await server`select from pg_database where datname = ${name}`;
  if (found.length > 0) return name;
  const unfinished = `${name}_${randomBytes(6).toString('hex')}`;
  await server.unsafe(`create database ${unfinished}`);
  const database = await startEmbedded({ store: { postgresUrl: urlOf(unfinished) }, ...keys });
  await database.stop();
  await server.unsafe(`alter database ${unfinished} rename to ${name}`);
  return name;
}

function typed(
  database: Awaited<ReturnType<typeof startEmbedded>>,
): Pick<TestDatabase, 'url' | 'timeoutMs' | 'sql' | 'stop'> {
  return {
    timeoutMs: 90_000,
    url: database.url,
    sql: async <Row>(text: string, parameters: readonly unknown[] = []) =>
      (await database.sql(text, parameters)) as Row[],
    stop: database.stop,
  };
}
