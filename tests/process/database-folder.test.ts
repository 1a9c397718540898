import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, startDatabase } from '#lib/embedded/database.ts';
import { demoVariables } from '#lib/launcher/configuration.ts';
import { makeTemporaryFolder } from '../support/cli.ts';
import { createUntypedAdminDb } from '../support/data-api.ts';
import { quietPort } from '../support/quiet-port.ts';
import { readTemplate } from '../support/template.ts';

const SCRIPT = 'node_modules/.cache/chainbreak/test/database.mjs';

beforeAll(async () => {
  const entryPoints = ['lib/launcher/database.ts'];
  await build({ entryPoints, outfile: SCRIPT, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
});

const START_MS = 90_000;

const KEYS = { publishableKey: 'sb_publishable_x', secretKey: 'sb_secret_x', jwtSecret: 'x'.repeat(40) };

const open = (folder: string) => startDatabase({ store: { folder }, lockWaitMs: 100, ...KEYS });

async function variablesFor(folder: string): Promise<Record<string, string> & { NODE_ENV: 'test' }> {
  return {
    NODE_ENV: 'test',
    LEASH: '1',
    ...demoVariables({}, {}, { database: await quietPort(), codeHost: 1 }),
    DATABASE_FOLDER: folder,
  };
}

async function startPart(env: Awaited<ReturnType<typeof variablesFor>>): Promise<ChildProcess> {
  const child = fork(SCRIPT, {
    env,
    execArgv: ['--import', './lib/launcher/leash.mjs'],
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const health = () =>
    fetch(`${env['SUPABASE_URL']}/auth/v1/health`, { headers: { apikey: env['SUPABASE_PUBLISHABLE_KEY'] ?? '' } });
  await expect
    .poll(
      () =>
        health().then(
          (response) => response.ok,
          () => false,
        ),
      { timeout: START_MS },
    )
    .toBe(true);
  return child;
}

const TABLE = `
  create table public.notes (id int primary key);
  alter table public.notes enable row level security;
  create policy notes_read on public.notes for select to authenticated using (true);
  select internal.apply_grants();`;

const clientGrants = async ({ sql }: Database) =>
  (
    await sql(
      `select grantee || ' ' || privilege_type || ' ' || table_name as grant from information_schema.role_table_grants
       where grantee in ('anon', 'authenticated') and table_name = 'notes'`,
    )
  ).map((row) => row['grant']);

describe('a database in a folder', () => {
  let folder: string;
  let remove: () => void;
  let env: Awaited<ReturnType<typeof variablesFor>>;
  let opened: Database | undefined;
  beforeAll(async () => {
    [folder, remove] = makeTemporaryFolder();
    env = await variablesFor(place());
  });
  afterAll(async () => {
    await opened?.stop();
    remove();
  });
  const place = () => join(folder, 'database');
  const close = async () => {
    await opened?.stop();
    opened = undefined;
  };

  it('keeps rows and grants over a restart', { timeout: 2 * START_MS }, async () => {
    const first = await open(place());
    await first.sql(`${TABLE} insert into public.notes values (-1)`);
    await first.stop();
    opened = await open(place());
    expect(await opened.sql('select id from public.notes')).toEqual([{ id: -1 }]);
    expect(await clientGrants(opened)).toEqual(['authenticated SELECT notes']);
  });

  it('refuses a second process', { timeout: 2 * START_MS }, async () => {
    opened ??= await open(place());
    await expect(open(place())).rejects.toThrow(`Another process has the database in ${place()} open.`);
    await opened.sql('select 1');
  });

  it('reports an occupied port', { timeout: 2 * START_MS }, async () => {
    opened ??= await open(place());
    const port = Number(new URL(opened.url).port);
    const store = { archive: await readTemplate() };
    await expect(startDatabase({ store, port, ...KEYS })).rejects.toThrow(`Port ${port} is taken.`);
  });

  it('keeps every acknowledged row if killed during writes', { timeout: 2 * START_MS }, async () => {
    await close();
    const child = await startPart(env);
    const db = createUntypedAdminDb({
      url: env['SUPABASE_URL'] ?? '',
      publishableKey: '',
      secretKey: env['SUPABASE_SECRET_KEY'] ?? '',
    });
    const acknowledged: number[] = [];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let id = writer; ; id += 4) {
        const { error } = await db.from('notes').insert({ id });
        if (error) return;
        acknowledged.push(id);
      }
    });
    await expect.poll(() => acknowledged.length, { timeout: START_MS }).toBeGreaterThan(100);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await Promise.all([exited, ...writers]);

    opened = await open(place());
    const rows = new Set((await opened.sql('select id from public.notes')).map((row) => row['id']));
    expect(acknowledged.filter((id) => !rows.has(id))).toEqual([]);
    expect(await clientGrants(opened)).toEqual(['authenticated SELECT notes']);
  });

  it('ends and releases its folder when its launcher is gone, and knows the demo users', {
    timeout: 2 * START_MS,
  }, async () => {
    await close();
    const child = await startPart(env);
    child.disconnect();
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    opened = await open(place());
    expect(
      await opened.sql(
        `select u.id, u.email, i.provider from auth.users u join auth.identities i on i.user_id = u.id order by 2`,
      ),
    ).toEqual([
      { id: env['DEMO_USER_ID'], email: env['DEMO_USER_EMAIL'], provider: 'github' },
      { id: env['DEMO2_USER_ID'], email: env['DEMO2_USER_EMAIL'], provider: 'github' },
    ]);
  });
});
