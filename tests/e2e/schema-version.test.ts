import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { startWeb } from '../support/web.ts';

let database: TestDatabase;
let newest: string;

beforeAll(async () => {
  database = await startDatabase();
  const [row] = await database.sql<{ version: string }>('select public.schema_version() as version');
  newest = String(row?.version);
});
afterAll(() => database?.stop());

const start = () =>
  startWeb({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SUPABASE_JWT_SECRET: database.jwtSecret,
  });

describe('an instance', () => {
  it('starts on a database with its own migrations', async () => {
    expect(newest).toMatch(/^\d{14}$/);
    await (await start()).stop();
  });

  it('refuses a newer database', async () => {
    await database.sql(`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`);
    const text = `The database is at migration 29990101000000, and this version of the service knows none after ${newest}.`;
    await expect(start()).rejects.toThrow(text);
    await database.sql(`delete from supabase_migrations.schema_migrations where version = '29990101000000'`);
  });

  it('refuses an older database', async () => {
    await database.sql('delete from supabase_migrations.schema_migrations where version = $1', [newest]);
    await expect(start()).rejects.toThrow(`this version of the service needs ${newest}. Apply the migrations first`);
    await database.sql('delete from supabase_migrations.schema_migrations');
    await (await start()).stop();
  });
});
