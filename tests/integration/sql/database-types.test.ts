import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '#lib/db/call.ts';
import { createAdminDb } from '#lib/db/clients.ts';
import { AppError } from '#lib/errors.ts';
import { DATABASE_TYPES, generateDatabaseTypes } from '#lib/tools/database-types.ts';
import { startDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

it('generated types match the migrations (npm run types:db)', async () => {
  expect(readFileSync(DATABASE_TYPES, 'utf8')).toBe(await generateDatabaseTypes(database.sql));
});

it('a renamed parameter fails the type check', async () => {
  const parameters = { p_user_id: randomUUID(), p_organization_id: randomUUID() };
  // @ts-expect-error The parameter is called p_org_id.
  await expect(call(createAdminDb(database), 'get_pr_gate', parameters)).rejects.toThrow(AppError);
});
