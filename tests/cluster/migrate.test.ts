import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';
import { HOSTED_PROJECT } from '#lib/tools/migrate-locks.ts';

const files = readdirSync('supabase/migrations').sort();
const newest = files.at(-1)?.split('_')[0];

let server: PostgresServer;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await startPostgres(findPrograms().postgres);
  sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(HOSTED_PROJECT);
});
afterAll(async () => {
  await sql?.end();
  await server?.remove();
});

function migrate(...words: readonly string[]): Promise<{ status: number; output: string }> {
  const env = { ...process.env, DATABASE_URL: server.url };
  return new Promise((resolve) => {
    const program = execFile(process.execPath, ['lib/tools/run.mjs', 'migrate', ...words], { env }, (_, out, error) =>
      resolve({ status: program.exitCode ?? -1, output: out + error }),
    );
  });
}

it('the migrations are listed until they are applied, and another code’s are refused', async () => {
  const before = await migrate('--check');
  expect(before).toEqual({ status: 1, output: expect.stringContaining(`${files.length} pending:\n  ${files[0]}\n`) });
  expect(await sql`select to_regclass('public.scans') as scans`).toEqual([{ scans: null }]);

  expect(await migrate()).toEqual({ status: 0, output: expect.stringContaining(`Applied ${files.length}; `) });
  expect(await sql`select public.schema_version() as version`).toEqual([{ version: newest }]);
  const after = { status: 0, output: `Nothing is pending; the database is at ${newest}.\n` };
  expect([await migrate('--check'), await migrate()]).toEqual([after, after]);

  await sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
  expect(await migrate('--check')).toEqual({ status: 2, output: expect.stringContaining('29990101000000') });
  expect(await migrate()).toEqual({ status: 2, output: expect.stringContaining('Use the code that they belong to.') });
});
