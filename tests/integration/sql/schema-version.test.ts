import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import { createLog } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { requireSchema } from '#lib/services/schema-version.ts';
import { startDatabase, type TestDatabase } from '../../support/database.ts';

const newest = readdirSync('supabase/migrations').sort().at(-1)?.split('_')[0] ?? '';
const lines: string[] = [];
let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database?.stop());

function check(schemaVersion: string, url = database.url): Promise<void> {
  const env = parseEnv({
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
  });
  const log = createLog((line) => lines.push(line));
  return requireSchema(createServices({ ...env, schemaVersion }, log));
}

describe('a database', () => {
  it('fits the code with the same newest migration', async () => {
    await expect(check(newest)).resolves.toBeUndefined();
  });

  it('is refused if it is older or newer, with what to do', async () => {
    await expect(check('29990101000000')).rejects.toThrow(`The database is at migration ${newest}, and this version`);
    await expect(check('20200101000000')).rejects.toThrow('knows none after 20200101000000. Deploy the version');
  });

  it('that does not answer keeps no instance from starting, and the log says so', async () => {
    await expect(check(newest, 'http://127.0.0.1:9')).resolves.toBeUndefined();
    expect(lines.join('')).toContain('the migrations of the database are unknown');
  });

  it('is refused if it is too old to know its migrations', async () => {
    await database.sql('alter function public.schema_version() rename to hidden_version');
    await expect(check(newest)).rejects.toThrow('The database has none of the latest migrations');
    await database.sql('alter function public.hidden_version() rename to schema_version');
  });

  it('whose migrations were applied by hand is not judged', async () => {
    await database.sql('delete from supabase_migrations.schema_migrations');
    await expect(check(newest)).resolves.toBeUndefined();
  });
});
