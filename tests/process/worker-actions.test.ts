import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let host: CodeHostForTests;

beforeAll(async () => {
  [database, host] = await Promise.all([emptyDatabase(), startCodeHost()]);
  await host.addRepository({
    fullName: 'tools/tool',
    files: { 'action.yml': 'name: Tool\nruns:\n  using: node24\n  main: index.js\n', 'index.js': '1;\n' },
  });
});
afterAll(() => Promise.all([host?.stop(), database?.stop()]));

function run(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['lib/tools/worker-actions.mjs', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...variables } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: unknown) => (output += String(data)));
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  );
}

it('npm run worker:actions scores what waits, prints each score and a summary, and ends', async () => {
  const db = createAdminDb(database);
  await actions.enqueue(db, 'tools', 'tool');
  const { code, output } = await run(['--minutes', '5', '--waiting'], {
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
  });
  expect(output).toMatch(/^tools\/tool: \d+$/m);
  expect(output).toMatch(/^1 scored, 0 missing, 0 to be tried again\. Nothing is left to score\.$/m);
  expect(code).toBe(0);
  expect(output).not.toContain(database.secretKey);
  expect((await actions.read(db, 'tools', 'tool'))?.status).toBe('scored');
});

it('npm run worker:actions says which part of the configuration is missing', async () => {
  const { code, output } = await run([], {});
  expect([code, output.trim().split('\n').at(-1)]).toEqual([1, 'This installation has no database.']);
});
