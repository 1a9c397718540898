import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import { CATEGORIES } from '#lib/scanner/engine/categories.ts';
import { closeThreads } from '#lib/services/isolation/isolation.ts';
import { MAX_WAITING } from '#lib/services/isolation/limits.ts';
import { perform, valueOf } from '#lib/services/isolation/perform.ts';
import type { TaskCall } from '#lib/services/isolation/tasks.ts';
import { Threads, type ThreadsOptions } from '#lib/services/isolation/threads.ts';
import { buildWorker } from '#lib/tools/build-worker.mjs';
import { type ConnectedService, SLOPPY, sloppyFiles, startConnectedService } from '../support/connected-service.ts';
import { startService, type TestService } from '../support/service.ts';

const scm = {
  apiUrl: 'https://api.github.com',
  graphqlUrl: 'https://api.github.com/graphql',
  webUrl: 'https://github.com',
  hostVersion: null,
};

let folder = '';
let program = '';
const opened: Threads[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chainbreak-worker-'));
  program = join(folder, 'worker.mjs');
  await buildWorker(program);
});
afterEach(() => Promise.all([...opened.splice(0).map((threads) => threads.close()), closeThreads()]));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(options: Partial<ThreadsOptions> = {}): Threads {
  const threads = new Threads({ program, threads: 1, ...options });
  opened.push(threads);
  return threads;
}

function otherProgram(name: string, code: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, code);
  return path;
}

function workflow(jobs: number): string {
  const job = (index: number) =>
    `  job${index}:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: vendor/deploy@v1\n      - run: echo "\${{ github.event.pull_request.title }}"\n`;
  return `on: [pull_request_target]\njobs:\n${Array.from({ length: jobs }, (_, index) => job(index)).join('')}`;
}

function scanOf(texts: readonly string[]): TaskCall<'summarize'> {
  const snapshot = {
    scmId: '1',
    fullName: 'octo/web',
    htmlUrl: 'https://github.com/octo/web',
    visibility: 'public',
    archived: false,
    empty: false,
    defaultBranch: 'main',
    commit: 'a'.repeat(40),
    files: texts.map((text, index) => ({ path: `.github/workflows/w${index}.yml`, text })),
    workflowFiles: texts.length,
    unread: [],
  } as const;
  return { name: 'summarize', input: [snapshot, { scm }] };
}

const SMALL = scanOf([SLOPPY]);
const BIG = scanOf(Array.from({ length: 40 }, () => workflow(700)));

describe('threads', () => {
  it('give what the same task gives without them', async () => {
    const threads = open();
    const { input } = scanOf([SLOPPY, workflow(3)]);
    const [snapshot] = input;
    const choice = { ruleset: 'all', disabledRules: [], settings: NO_FACTS.settings, asOf: 'today' } as const;
    const pasted = { text: SLOPPY, filename: 'ci.yml', categories: new Set(CATEGORIES), includeReview: true };
    const tags = new Map([['v1', 'b'.repeat(40)]]);
    const actions = new Map([['vendor/deploy', { tags, branches: new Map<string, string>() }]]);
    const facts = { ...NO_FACTS, network: { value: { actions } } };
    const calls: readonly TaskCall[] = [
      { name: 'summarize', input },
      { name: 'needsOf', input },
      { name: 'findPackages', input: [...input, new Map([['package.json', '{"name": "web"}']])] },
      { name: 'runRules', input: [snapshot, choice, { scm }] },
      { name: 'readWorkflow', input: [pasted, { scm }] },
      { name: 'hardenText', input: [pasted, facts, { scm }] },
      { name: 'readWorkflow', input: [{ ...pasted, text: 'on: [' }, { scm }] },
    ];
    for (const call of calls) expect(await threads.run('public', call, 60_000), call.name).toEqual(perform(call));
    const hardened = valueOf(perform({ name: 'hardenText', input: [pasted, facts, { scm }] }));
    expect(hardened.hardened).toContain(`vendor/deploy@${'b'.repeat(40)}`);
    expect(valueOf(perform({ name: 'runRules', input: [snapshot, choice, { scm }] })).findings.length).toBeGreaterThan(
      5,
    );
  });

  it('end at the deadline, and the next task is served', async () => {
    const threads = open();
    await expect(threads.run('public', BIG, 1_500)).rejects.toMatchObject({ code: 'timed-out' });
    expect(await threads.run('public', SMALL, 60_000)).toEqual(perform(SMALL));
  });

  it('end when they use too much memory, alone, and the next task is served', async () => {
    const threads = open({ heapMb: 48 });
    await expect(threads.run('public', BIG, 600_000)).rejects.toMatchObject({ code: 'timed-out' });
    expect(await threads.run('public', SMALL, 60_000)).toEqual(perform(SMALL));
  });

  it('refuse a task when too many wait, and let connected repositories go first', async () => {
    const threads = open();
    const busy = threads.run('public', BIG, 2_000).catch((error: unknown) => error);
    const ended: string[] = [];
    const wait = (lane: 'public' | 'connected') => threads.run(lane, SMALL, 60_000).then(() => ended.push(lane));
    const waiting = Array.from({ length: MAX_WAITING }, () => wait('public'));
    await expect(wait('public')).rejects.toMatchObject({ code: 'not-configured', retryAfterSeconds: 10 });
    waiting.push(wait('connected'));
    expect(await busy).toMatchObject({ code: 'timed-out' });
    await Promise.all(waiting);
    expect([ended[0], ended.length]).toEqual(['connected', MAX_WAITING + 1]);
  });

  it('know nothing of the environment of the process', async () => {
    const code = 'export const perform = () => ({ value: [process.env, process.execArgv] });';
    const outcome = await open({ program: otherProgram('environment', code) }).run('public', SMALL, 60_000);
    expect(outcome).toEqual({ value: [{}, []] });
  });

  it('tell of a bug its name and its place in the code, not its message', () => {
    const outcome = perform({ name: 'summarize', input: [{ files: 'xyzzyq' }, { scm }] as never });
    expect(outcome).toMatchObject({ broken: { name: 'TypeError', frames: expect.stringMatching(/^\s+at /) } });
    expect(JSON.stringify(outcome)).not.toContain('xyzzyq');
  });
});

describe('the service', () => {
  let service: TestService | undefined;
  let visitors = 0;

  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  async function start(worker: string, variables: Readonly<Record<string, string>> = {}): Promise<TestService> {
    service = await startService({ CHAINBREAK_WORKER: worker, SCAN_THREADS: '1', ...variables });
    Reflect.set(globalThis, PEER_MARK, true);
    return service;
  }

  function harden(text: string) {
    visitors += 1;
    const headers = { [PEER_HEADER]: `203.0.113.${visitors}` };
    return (service as TestService).call('POST /api/public/harden', { body: { workflow: text }, headers });
  }

  it('answers others while a thread is busy, refuses whom no thread can serve soon, and serves the next', async () => {
    const started = await start(program);
    let ended = false;
    const busy = harden(workflow(500)).finally(() => (ended = true));
    let answered = 0;
    while (answered < 10) {
      expect((await started.call('GET /api/health')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
      answered += 1;
    }
    expect(ended).toBe(false);
    const others = await Promise.all(Array.from({ length: MAX_WAITING + 7 }, () => harden(SLOPPY)));
    const refused = others.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('10');
    expect(refused[0]?.json).toMatchObject({ code: 'not-configured', detail: expect.stringContaining('busy') });
    expect([200, 504]).toContain((await busy).status);
    expect((await harden(SLOPPY)).status).toBe(200);
  });

  it('reports a thread that fails as an internal error, without the text of the failure', async () => {
    const { log } = await start(
      otherProgram('failing', "export const perform = () => { throw new Error('xyzzyq'); };"),
    );
    const { status, json, text } = await harden(SLOPPY);
    expect([status, json['code']]).toEqual([500, 'internal']);
    expect(text + log.join('')).not.toContain('xyzzyq');
    expect(log.join('')).toContain('A task failed.');
  });

  it('works without threads where there are none', async () => {
    const failing = otherProgram('failing', "export const perform = () => { throw new Error('xyzzyq'); };");
    for (const [worker, variables] of [
      [failing, { VERCEL: '1' }],
      [failing, { SCAN_THREADS: '0' }],
      [join(folder, 'missing.mjs'), {}],
    ] as const) {
      const started = await start(worker, variables);
      expect((await harden(SLOPPY)).status).toBe(200);
      await started.stop();
    }
  });
});

describe('a repository that exceeds the limits', () => {
  let service: ConnectedService;
  let counter = '';
  const runs = () => (existsSync(counter) ? readFileSync(counter, 'utf8').length : 0);

  beforeAll(async () => {
    counter = join(folder, 'runs');
    const worker = otherProgram(
      'greedy',
      `import { appendFileSync } from 'node:fs';
       export const perform = ({ name }) => {
         appendFileSync(${JSON.stringify(counter)}, 'x');
         if (name === 'needsOf') return { value: { actions: [], manifests: undefined } };
         for (const all = []; ; ) all.push(new Array(1_000_000).fill(0));
       };`,
    );
    service = await startConnectedService({ CHAINBREAK_WORKER: worker, SCAN_THREADS: '1' });
    Reflect.set(globalThis, PEER_MARK, true);
  });
  afterAll(() => service?.stop());

  it('is 504 to the public, leaves nothing behind, and is checked again only at another commit', async () => {
    const fullName = 'octo/greedy';
    await service.host.addRepository({ fullName, files: sloppyFiles() });
    const scan = () =>
      service.call('POST /api/public-scan', { body: { repo: fullName }, headers: { [PEER_HEADER]: '203.0.113.200' } });
    for (const expected of [1, 1, 2]) {
      if (expected === 2) await service.host.push(fullName, { files: { 'README.md': '#' } });
      const { status, json } = await scan();
      expect([status, json['code'], runs()]).toEqual([504, 'timed-out', expected]);
    }
    const { sql } = service.database;
    expect(await sql('select slug from public.public_scans where repo = $1', [fullName])).toEqual([]);
    expect(await sql('select claim from public.public_scan_claims where repo_key = $1', [fullName])).toEqual([]);
  });

  it('is 504 to its owner, and no scan is stored', async () => {
    const acme = await service.company('greedy');
    const fullName = 'greedy/web';
    await service.host.addRepository({ fullName, files: sloppyFiles(), visibility: 'private' });
    const id = (await service.connect(acme)).get(fullName) ?? '';
    const { status, json } = await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: id } });
    expect([status, json['code']]).toEqual([504, 'timed-out']);
    const { sql } = service.database;
    expect(await sql('select id from public.scans where repo_id = $1', [id])).toEqual([]);
    expect(await sql('select last_scan_id from public.repositories where id = $1', [id])).toEqual([
      { last_scan_id: null },
    ]);
  });
});
