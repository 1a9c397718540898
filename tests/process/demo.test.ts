import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { createCodeHostApp } from '#lib/hosts/code-host/app.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { BUNDLE } from '#lib/tools/bundle.mjs';
import { createRepository } from '#lib/workflow/repository.ts';
import { quietPort } from '../support/quiet-port.ts';

const SCRIPT = 'node_modules/.cache/chainbreak/demo-test/main.mjs';
const TOKEN = 'ghp_publicReaderOfTheDemo';

let folder: string;
let env: NodeJS.ProcessEnv;
let webUrl: string;
let child: ChildProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainbreak-demo-'));
  await build({
    ...BUNDLE,
    entryPoints: ['lib/launcher/code-host.ts'],
    outfile: SCRIPT,
    packages: 'external',
    alias: {},
  });
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  webUrl = `http://127.0.0.1:${await quietPort()}`;
  env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'test',
    LEASH: '1',
    SCM_WEB_URL: webUrl,
    CODE_HOST_FOLDER: join(folder, 'code-host'),
    SCM_PUBLIC_TOKEN: TOKEN,
    SUPABASE_URL: 'http://127.0.0.1:54321',
    WEB_URL: 'http://127.0.0.1:9',
    SCM_APP_ID: '4711',
    SCM_APP_SLUG: 'chainbreak-local',
    SCM_APP_PRIVATE_KEY: privateKey.replaceAll('\n', '\\n'),
    SCM_CLIENT_ID: 'Iv1.0123456789abcdef',
    SCM_CLIENT_SECRET: 'a-client-secret',
    SCM_WEBHOOK_SECRET: 'a-webhook-secret',
  };
  child = await start();
});

afterAll(async () => {
  await end(child);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<ChildProcess> {
  const started = fork(resolve(SCRIPT), {
    env,
    execArgv: ['--import', './lib/launcher/leash.mjs'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await fetch(`${webUrl}/_sim/health`).catch(() => undefined);
    if (answer?.ok === true) return started;
    if (started.exitCode !== null) throw new Error('The code host ended.');
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('The code host did not start.');
}

async function end(process: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((done) => process.once('exit', done));
  process.disconnect();
  return ended;
}

async function read(fullName: string): Promise<RepositorySnapshot> {
  const [owner = '', name = ''] = fullName.split('/');
  const codeHost = createCodeHost({ apiUrl: `${webUrl}/api/v3`, graphqlUrl: `${webUrl}/api/graphql`, token: TOKEN });
  return codeHost.readPublicRepository(owner, name);
}

async function scan(fullName: string): Promise<ScanResult> {
  const { files } = await read(fullName);
  return scanRepository(createRepository(files, fullName.split('/')[0]));
}

async function scanWithSettings(installation: number, id: number, fullName: string): Promise<ScanResult> {
  const codeHost = createCodeHostApp({
    apiUrl: `${webUrl}/api/v3`,
    graphqlUrl: `${webUrl}/api/graphql`,
    webUrl,
    app: {
      id: env['SCM_APP_ID'] ?? '',
      privateKey: (env['SCM_APP_PRIVATE_KEY'] ?? '').replaceAll('\\n', '\n'),
      clientId: env['SCM_CLIENT_ID'] ?? '',
      clientSecret: env['SCM_CLIENT_SECRET'] ?? '',
    },
  });
  const read = await codeHost.readRepository(String(installation), { scmId: String(id), fullName });
  if (read.unchanged) throw new Error('Nothing was known before.');
  const settings = await codeHost.readSettings(String(installation), { scmId: String(id), fullName });
  const repository = createRepository(read.snapshot.files, fullName.split('/')[0]);
  return scanRepository(repository, { facts: { ...NO_FACTS, settings } });
}

describe('the demo', () => {
  it('has one repository without any finding', async () => {
    const { findings, suppressed, diagnostics, files } = await scan('acme/clean');
    expect({ findings, suppressed, diagnostics }).toEqual({ findings: [], suppressed: [], diagnostics: [] });
    expect(files).toBe(4);
  });

  it.each([
    ['acme/storefront', 'template-injection'],
    ['acme/storefront', 'overprovisioned-secrets'],
    ['acme/docs-site', 'untrusted-checkout-exec'],
    ['acme/build-tools', 'template-injection'],
    ['acme/helpdesk', 'template-injection'],
    ['acme/reports', 'artifact-poisoning'],
    ['globex/firmware', 'self-hosted-runner-pr'],
    ['globex/assistant', 'ai-prompt-injection'],
    ['globex/platform', 'confused-deputy-auto-merge'],
    ['globex/mobile-app', 'compromised-action-ref'],
    ['globex/sensor-sdk', 'cache-poisoning'],
  ])('%s shows %s', async (fullName, rule) => {
    const { findings, diagnostics } = await scan(fullName);
    expect(findings.map(({ ruleId }) => ruleId)).toContain(rule);
    expect(diagnostics).toEqual([]);
  });

  it('has no settings finding in that repository either', async () => {
    const { findings, notAssessed } = await scanWithSettings(6001, 7002, 'acme/clean');
    expect(findings).toEqual([]);
    expect(notAssessed.filter(({ reason }) => reason === 'no_permission').map(({ ruleId }) => ruleId)).toEqual([
      'excessive-org-access',
      'weak-org-authentication',
    ]);
  });

  it.each([
    [6001, 7001, 'acme/storefront', ['default-workflow-token-write', 'unprotected-branch', 'actions-unrestricted']],
    [6001, 7003, 'acme/docs-site', ['branch-history-mutable', 'protection-bypass', 'weak-review-gate']],
    [6001, 7004, 'acme/build-tools', ['mutable-releases', 'tag-protection-missing', 'codeowners-gap']],
    [6001, 7006, 'acme/reports', ['actions-can-approve-prs']],
    [6001, 7007, 'acme/payments', ['environment-unprotected', 'insecure-webhook', 'stale-credentials']],
    [6002, 7008, 'globex/firmware', ['fork-pr-policy', 'runner-group-exposed']],
    [6002, 7009, 'globex/assistant', ['unprotected-branch']],
    [6002, 7010, 'globex/platform', ['protection-bypass', 'review-not-required']],
    [6002, 7011, 'globex/mobile-app', ['project-hygiene', 'security-scanning-disabled']],
    [6002, 7012, 'globex/sensor-sdk', ['tag-protection-missing']],
  ] as const)('installation %i reads %i %s, whose settings show %s', async (installation, id, fullName, expected) => {
    const { findings } = await scanWithSettings(installation, id, fullName);
    expect(findings.map(({ ruleId }) => ruleId)).toEqual(expect.arrayContaining([...expected]));
  });

  it('has private, empty and renamed repositories, too', async () => {
    await expect(read('acme/payments')).rejects.toMatchObject({ code: 'not-found' });
    expect(await read('globex/scratch')).toMatchObject({ empty: true, files: [] });
    expect((await read('acme/shop')).fullName).toBe('acme/storefront');
  });

  it('receives no request that GitHub does not know', async () => {
    expect(await (await fetch(`${webUrl}/_sim/violations`)).json()).toEqual([]);
  });

  it('ends with its launcher, and restarts with the same data within seconds', async () => {
    const { commit, scmId } = await read('acme/storefront');
    expect(await end(child)).toBe(0);
    await expect(fetch(`${webUrl}/_sim/health`)).rejects.toThrow();
    const began = performance.now();
    child = await start();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await read('acme/storefront')).toMatchObject({ commit, scmId });
  });
});
