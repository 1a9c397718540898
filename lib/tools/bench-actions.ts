import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { unwrap } from '#lib/db/unwrap.ts';
import { env } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import { listActions, readAction } from '#lib/services/actions/read.ts';
import { requestAction } from '#lib/services/actions/request.ts';
import { workOnActions } from '#lib/services/actions/work.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { closeThreads } from '#lib/services/isolation/isolation.ts';
import { buildWorker } from './build-worker.mjs';

const [worked = 1_000, catalogued = 10_000] = process.argv.slice(2, 4).map(Number);
const REQUESTED = 100;
const VERSIONS = 5;
const READERS = 50;
const READS = 500;
const ROWS = 1_000;
const MEGABYTE = 1_048_576;
const PUBLIC_TOKEN = 'ghp_benchmark';
const THREADS = 'node_modules/.cache/chainbreak/bench-actions-threads.mjs';

const folder = mkdtempSync(join(tmpdir(), 'chainbreak-bench-actions-'));
const parts: ChildProcess[] = [];
try {
  await main();
} finally {
  await closeThreads();
  for (const part of parts) if (part.connected) part.disconnect();
  await Promise.all(parts.filter(({ exitCode }) => exitCode === null).map((part) => once(part, 'exit')));
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function startPart(...args: readonly string[]): Promise<[ChildProcess, Readonly<Record<string, string>>]> {
  const part = fork('lib/tools/run.mjs', args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  parts.push(part);
  const [{ ready }] = (await Promise.race([
    once(part, 'message'),
    once(part, 'exit').then(() => Promise.reject(new Error(`${args[0]} did not start.`))),
  ])) as [{ readonly ready: Readonly<Record<string, string>> }];
  return [part, ready];
}

async function main(): Promise<void> {
  const keys = {
    publishableKey: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secretKey: `sb_secret_${randomBytes(24).toString('base64url')}`,
    jwtSecret: randomBytes(32).toString('hex'),
  };
  const host = { folder, publicToken: PUBLIC_TOKEN, actions: worked + REQUESTED };
  const [[, database], [hostPart, codeHost]] = await Promise.all([
    startPart('bench-api-part', 'database', JSON.stringify(keys)),
    startPart('bench-actions-host', JSON.stringify(host)),
    buildWorker(THREADS),
  ]);
  Object.assign(process.env, {
    CHAINBREAK_WORKER: THREADS,
    SUPABASE_URL: database['url'],
    SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
    SUPABASE_SECRET_KEY: keys.secretKey,
    SCM_WEB_URL: codeHost['webUrl'],
    SCM_API_URL: codeHost['apiUrl'],
    SCM_GRAPHQL_URL: codeHost['graphqlUrl'],
    SCM_PUBLIC_TOKEN: PUBLIC_TOKEN,
  });
  const log: Log = { info: () => {}, warn: () => {}, error: () => {}, with: () => log };
  const services = createServices(env(), log);
  const db = createAdminDb({
    url: database['url'] ?? '',
    publishableKey: keys.publishableKey,
    secretKey: keys.secretKey,
  });
  const requests = async (): Promise<number> => {
    const answer = once(hostPart, 'message');
    hostPart.send('requests');
    const [{ requests: count }] = (await answer) as [{ readonly requests: number }];
    return count;
  };
  await measureRequests(services, requests);
  await measureWorker(services, db, requests);
  await measureDirectory(services, db);
}

async function measureRequests(services: Services, requests: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  const counts: number[] = [];
  let queued = 0;
  for (let index = 0; index < REQUESTED; index += 1) {
    const before = await requests();
    const started = performance.now();
    const scored = await requestAction(services, { owner: 'bench', name: `action-${index}` });
    times.push(performance.now() - started);
    counts.push((await requests()) - before);
    if (scored === null) queued += 1;
  }
  say(`a request to score an action     ${REQUESTED} times   ${percentiles(times)}   ${queued} queued instead`);
  say(`requests to the code host for it  mean ${mean(counts).toFixed(1)}   most ${Math.max(...counts)}`);
}

async function measureWorker(services: Services, db: AdminDb, requests: () => Promise<number>): Promise<void> {
  const names = Array.from({ length: worked }, (_, index) => `bench/action-${REQUESTED + index}`);
  await actions.catalog(db, names);
  await pMap(names, (name) => actions.enqueue(db, 'bench', name.slice('bench/'.length)), { concurrency: 8 });
  const before = await requests();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  const started = performance.now();
  const { scored, missing, failed } = await workOnActions(services, { waitingOnly: true });
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1_000;
  const asked = (await requests()) - before;
  say(
    `the worker over ${worked} actions: ${scored} scored, ${missing} missing, ${failed} failed in ${seconds.toFixed(1)} s ` +
      `(${(scored / seconds).toFixed(1)} a second), ${(asked / worked).toFixed(1)} requests each, ` +
      `${Math.round(idle / MEGABYTE)} MB before, at most ${Math.round(peak / MEGABYTE)} MB`,
  );
}

async function measureDirectory(services: Services, db: AdminDb): Promise<void> {
  await seedDirectory(db);
  const name = (index: number) => `listed-${(index * 7_919) % catalogued}`;
  const sorts = ['score', 'name', 'stars', 'scored_at'] as const;
  const cases: readonly [string, (index: number) => Promise<unknown>][] = [
    ['first page, riskiest first', () => listActions(services, {})],
    [
      'pages in any order',
      (index) =>
        listActions(services, {
          sort: sorts[index % 4],
          order: index % 3 === 0 ? 'asc' : 'desc',
          page: 1 + (index % Math.ceil(catalogued / 100)),
          per_page: 100,
        }),
    ],
    ['search for a part of a name', (index) => listActions(services, { q: `ed-${index % 997}` })],
    ['search for what is nowhere', (index) => listActions(services, { q: `nowhere ${index}` })],
    ['one action', (index) => readAction(services, 'directory', name(index))],
  ];
  say(`the directory: ${catalogued} actions, ${catalogued * VERSIONS} versions, ${READERS} readers at a time`);
  for (const [what, read] of cases) {
    await read(0);
    const times: number[] = [];
    await pMap(
      Array.from({ length: READS }, (_, index) => index),
      async (index) => {
        const started = performance.now();
        await read(index);
        times.push(performance.now() - started);
      },
      { concurrency: READERS },
    );
    say(`  ${what.padEnd(32)} ${READS} reads   ${percentiles(times)}`);
  }
}

async function seedDirectory(db: AdminDb): Promise<void> {
  const commit = (text: string): string => createHash('sha1').update(text).digest('hex');
  const at = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const listed = Array.from({ length: catalogued }, (_, index) => {
    const versions = Array.from({ length: VERSIONS }, (__, version) => ({
      id: randomUUID(),
      commit_sha: commit(`${index} ${version}`),
      first_seen_at: at(10 * (VERSIONS - version)),
    }));
    return { id: randomUUID(), index, score: (index * 37) % 101, versions };
  });
  const bands = ['F', 'D', 'C', 'B', 'A'] as const;
  const bandOf = (score: number) => bands[[50, 65, 80, 90].filter((from) => score >= from).length] ?? 'F';
  const counts = { HIGH: 0, MEDIUM: 1, LOW: 0, INFO: 0 };
  const signals = Array.from({ length: 53 }, (_, index) => ({
    id: `signal-${index}`,
    family: 'static',
    state: 'absent',
    points: 0,
  }));
  const insert = async (
    table: 'actions' | 'action_names' | 'action_versions' | 'action_evaluations',
    rows: object[],
  ) => {
    for (let start = 0; start < rows.length; start += ROWS) {
      unwrap(await db.from(table).insert(rows.slice(start, start + ROWS) as never));
    }
  };
  await insert(
    'actions',
    listed.map(({ id, index }) => ({
      id,
      scm_id: String(900_000_000 + index),
      owner: 'directory',
      name: `listed-${index}`,
      description: `Does something useful for number ${index}`,
      url: `https://code.example/directory/listed-${index}`,
      stars: (index * 13) % 5_000,
    })),
  );
  await insert(
    'action_names',
    listed.map(({ id, index }) => ({ name_key: `directory/listed-${index}`, action_id: id })),
  );
  await insert(
    'action_versions',
    listed.flatMap(({ id, versions }) => versions.map((version) => ({ ...version, action_id: id }))),
  );
  await insert(
    'action_evaluations',
    listed.flatMap(({ score, versions }) =>
      versions.map(({ id, first_seen_at }) => ({
        version_id: id,
        algorithm_version: '1.0.0',
        signals_hash: createHash('sha256').update(id).digest('hex'),
        evaluated_at: first_seen_at,
        score,
        score_floor: 0,
        band: bandOf(score),
        coverage: 90,
        provisional: false,
        hard_block: [],
        breakdown: { static: 0, metadata: 0, tag: 0, advisory: 0 },
        signals,
        finding_counts: counts,
      })),
    ),
  );
  await pMap(
    listed,
    async ({ id, index, score, versions }) => {
      const current = versions.at(-1);
      const scored = {
        version_id: current?.id ?? null,
        sha: current?.commit_sha ?? null,
        refs: [{ ref: `refs/tags/v1.${index}.0`, first_seen_at: at(10), last_seen_at: at(0) }],
        score,
        band: bandOf(score),
        finding_counts: counts,
        scored_at: at((index % 30) / 10),
      };
      unwrap(await db.from('actions').update(scored).eq('id', id));
    },
    { concurrency: 16 },
  );
}

function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `p50 ${at(0.5).toFixed(0)} ms   p95 ${at(0.95).toFixed(0)} ms   p99 ${at(0.99).toFixed(0)} ms`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
