import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { AppError } from '#lib/errors.ts';
import { applyMigration, type Migration, printLocks } from './migrate-locks.ts';

const FOLDER = 'supabase/migrations';
/** One at a time; a migration that waits for a lock gives up before it keeps requests waiting. */
const RUN_LOCK = 5_240_914;
const LOCK_TIMEOUT = '5s';

const { values } = parseArgs({ options: { check: { type: 'boolean' }, locks: { type: 'boolean' } } });
try {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, version: name.split('_', 1)[0] ?? '', sql: readFileSync(`${FOLDER}/${name}`, 'utf8') }));
  if (values.locks) await printLocks(files);
  else process.exitCode = await migrate(files);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function migrate(files: readonly Migration[]): Promise<number> {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new AppError('usage', 'Set DATABASE_URL to the address of the PostgreSQL server (postgres://…).');
  const server = postgres(url, { max: 1, onnotice: () => {} });
  try {
    if (!values.check) await server`select pg_advisory_lock(${RUN_LOCK})`;
    const applied = await appliedVersions(server);
    const unknown = applied.filter((version) => !files.some((file) => file.version === version));
    if (unknown.length > 0) {
      throw new AppError(
        'usage',
        `The database has ${unknown.length} migrations that this code does not: ${unknown.join(', ')}. Use the code that they belong to.`,
      );
    }
    const pending = files.filter(({ version }) => !applied.includes(version));
    if (pending.length === 0) {
      process.stdout.write(`Nothing is pending; the database is at ${applied.at(-1)}.\n`);
      return 0;
    }
    if (values.check) {
      process.stdout.write(`${pending.length} pending:\n${pending.map(({ name }) => `  ${name}`).join('\n')}\n`);
      return 1;
    }
    for (const migration of pending) {
      const { ms } = await applyMigration(server, migration, { lockTimeout: LOCK_TIMEOUT });
      process.stdout.write(`  ${migration.name} (${ms} ms)\n`);
    }
    process.stdout.write(`Applied ${pending.length}; the database is at ${pending.at(-1)?.version}.\n`);
    return 0;
  } finally {
    await server.end();
  }
}

async function appliedVersions(server: postgres.Sql): Promise<string[]> {
  const [known] = await server`select to_regclass('supabase_migrations.schema_migrations') is not null as known`;
  if (!known?.['known']) return [];
  const rows = await server<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  return rows.map(({ version }) => version);
}
