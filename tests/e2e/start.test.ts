import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGenerated } from '#lib/launcher/configuration.ts';
import { makeTemporaryFolder } from '../support/cli.ts';
import { quietPort } from '../support/quiet-port.ts';
import { signToken } from '../support/token.ts';

const READY_MS = 180_000;

let folder: string;
let removeFolder: () => void;
let port: number;
let launcher: ChildProcess | undefined;

beforeAll(async () => {
  [folder, removeFolder] = makeTemporaryFolder();
  port = await quietPort();
});

afterAll(() => {
  launcher?.kill('SIGKILL');
  removeFolder();
});

const environment = () => ({ ...process.env, PORT: String(port), TEST_DATABASE_URL: '' });

async function start(command: string, ...args: string[]): Promise<string> {
  const child = spawn(command, [...args, '--data', folder], { env: environment() });
  launcher = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect
    .poll(() => output.includes('Ctrl-C stops everything') || child.exitCode !== null, { timeout: READY_MS })
    .toBe(true);
  expect(output).toContain('Ctrl-C stops everything');
  return output;
}

const run = (tool: string) =>
  spawnSync(process.execPath, [`lib/tools/${tool}.mjs`, '--data', folder], { encoding: 'utf8', env: environment() });

async function scan(): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/public-scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"repo":"acme/storefront"}',
  });
  return (await response.json()) as Record<string, unknown>;
}

async function alive(): Promise<string[]> {
  const { SUPABASE_URL, SCM_WEB_URL, WEB_URL } = readGenerated(folder);
  const urls = [SUPABASE_URL, SCM_WEB_URL, WEB_URL].map((url) => url ?? '');
  const answers = await Promise.all(
    urls.map((url) =>
      fetch(url).then(
        () => [url],
        () => [],
      ),
    ),
  );
  return answers.flat();
}

describe('npm start', () => {
  it('starts the whole service in one folder, and says what to try', { timeout: READY_MS + 20_000 }, async () => {
    const output = await start('npm', 'start', '--');
    expect(output).toContain(`Web app     http://127.0.0.1:${port}`);
    expect(await alive()).toHaveLength(3);
    expect(await scan()).toMatchObject({ repo: 'acme/storefront', cached: false });
    expect(output).toContain('ada@acme.example (administers acme)');
    expect(output).toContain(`Open http://127.0.0.1:${port}/signin, continue as ada, install the app on acme`);
    expect(output).toContain(`npm run reset -- --data ${folder} clears it`);
    expect(output).not.toContain(readGenerated(folder)['SUPABASE_SECRET_KEY']);
  });

  it('creates two users, and accepts a token signed for one of them', async () => {
    const { WEB_URL, SUPABASE_JWT_SECRET = '', ...generated } = readGenerated(folder);
    const ask = async (secret: string, user: string, email: string) => {
      const authorization = `Bearer ${signToken(secret, user, { email })}`;
      const response = await fetch(`${WEB_URL}/api/capabilities`, { headers: { authorization } });
      return { status: response.status, json: await response.json() };
    };
    for (const [prefix, email, installation] of [
      ['DEMO', 'ada@acme.example', '6001'],
      ['DEMO2', 'grace@globex.example', '6002'],
    ]) {
      const id = generated[`${prefix}_USER_ID`] ?? '';
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(generated).toMatchObject({
        [`${prefix}_USER_EMAIL`]: email,
        [`${prefix}_INSTALLATION_ID`]: installation,
      });
      expect(await ask(SUPABASE_JWT_SECRET, id, email ?? '')).toMatchObject({
        status: 200,
        json: { demo: true, public_scan: true, scm_app: true, pr_webhooks: true, cron: true, shared_rate_limit: false },
      });
      expect(await ask(`${SUPABASE_JWT_SECRET}x`, id, email ?? '')).toMatchObject({ status: 401 });
    }
  });

  it('is refused, like a reset, while it runs on the same folder', { timeout: 60_000 }, () => {
    const second = run('start');
    expect([second.status, second.stderr]).toEqual([
      1,
      expect.stringContaining(`already runs with the data in ${folder}`),
    ]);
    const reset = run('reset');
    expect([reset.status, reset.stderr]).toEqual([1, expect.stringContaining('Stop it first')]);
    expect(existsSync(join(folder, 'env'))).toBe(true);
  });

  it('leaves nothing running if npm is killed', { timeout: 30_000 }, async () => {
    launcher?.kill('SIGKILL');
    await expect.poll(alive, { timeout: 15_000 }).toEqual([]);
  });

  it('keeps its data and credentials for the next start', { timeout: READY_MS + 20_000 }, async () => {
    const before = readGenerated(folder);
    await start(process.execPath, 'lib/tools/start.mjs');
    expect(await scan()).toMatchObject({ repo: 'acme/storefront', cached: true });
    expect(readGenerated(folder)).toEqual(before);
  });

  it('stops all of it on Ctrl-C', { timeout: 40_000 }, async () => {
    const exited = once(launcher as ChildProcess, 'exit');
    launcher?.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(await alive()).toEqual([]);
  });

  it('leaves nothing after a reset', { timeout: 40_000 }, () => {
    expect(run('reset')).toMatchObject({ status: 0, stdout: `Cleared ${folder}.\n` });
    for (const part of ['env', 'database', 'code-host', 'logs']) expect(existsSync(join(folder, part))).toBe(false);
  });
});
