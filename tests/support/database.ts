import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { type DatabaseOptions, startDatabase as startEmbedded } from '#lib/embedded/database.ts';
import { readTemplate, templateDigest } from './template.ts';

export interface TestDatabase {
  readonly url: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  /** Generous, since other tests may keep the machine busy. */
  readonly timeoutMs: number;
  readonly sql: <Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;
  readonly stop: () => Promise<void>;
}

export type Keys = Pick<TestDatabase, 'publishableKey' | 'secretKey' | 'jwtSecret'>;

/** PostgreSQL server for the suite; unset, the embedded database in memory is used. */
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

/** Serves a database of a server that the caller starts and stops. */
export async function startDatabaseOn(postgresUrl: string): Promise<TestDatabase> {
  const keys = makeKeys();
  return { ...keys, ...typed(await startEmbedded({ store: { postgresUrl }, ...keys })) };
}

let shared: Promise<TestDatabase> | undefined;

/** Returns the worker's shared database, for files that create their own organizations and count nothing globally. */
export async function sharedDatabase(): Promise<TestDatabase> {
  shared ??= startDatabase();
  const database = await shared;
  await database.sql('delete from public.rate_limits');
  return { ...database, stop: () => Promise.resolve() };
}

/** Databases of files that ended. */
const used: TestDatabase[] = [];

/** Returns a database without rows, which a file before may have used; it must not change the schema. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const database = used.pop() ?? (await startDatabase());
  await deleteRows(database);
  return { ...database, stop: async () => void used.push(database) };
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
