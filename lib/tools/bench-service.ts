import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { unwrap } from '#lib/db/unwrap.ts';
import { signToken } from '../../tests/support/token.ts';
import { buildWeb, startWeb } from '../../tests/support/web.ts';
import { exampleOutcomes, syntheticScan } from './bench-api-paths.ts';
import { appVariables, makeBenchApp } from './bench-app.ts';

const ORGANIZATION = 'bench';
const PUBLIC_TOKEN = 'ghp_benchmark';
const FILES = {
  '.github/workflows/ci.yml':
    'on: [pull_request_target]\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n',
};

export interface BenchSize {
  readonly repositories: number;
  readonly findings: number;
  readonly scansPerRepository: number;
  readonly members: number;
}

export interface BenchUser {
  readonly id: string;
  readonly token: string;
}

export interface BenchService {
  readonly web: string;
  readonly config: { readonly url: string; readonly publishableKey: string; readonly secretKey: string };
  readonly users: readonly BenchUser[];
  readonly world: World;
  readonly secret: string;
}

interface World {
  readonly org: string;
  readonly repoIds: readonly string[];
  readonly scmIds: readonly string[];
  readonly fingerprints: readonly string[];
}

export async function withBenchService(
  size: BenchSize,
  measure: (service: BenchService) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chainbreak-bench-'));
  const parts: ChildProcess[] = [];
  try {
    await run(size, measure, folder, parts);
  } finally {
    for (const part of parts) if (part.connected) part.disconnect();
    await Promise.all(parts.filter(({ exitCode }) => exitCode === null).map((part) => once(part, 'exit')));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Ready {
  readonly ready: Readonly<Record<string, string>>;
}

async function startPart(
  parts: ChildProcess[],
  name: string,
  options: object,
): Promise<Readonly<Record<string, string>>> {
  const runner = 'lib/tools/run.mjs';
  const part = fork(runner, ['bench-api-part', name, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  parts.push(part);
  const [message] = (await Promise.race([
    once(part, 'message'),
    once(part, 'exit').then(() => Promise.reject(new Error(`The ${name} did not start.`))),
  ])) as [Ready];
  return message.ready;
}

async function run(
  size: BenchSize,
  measure: (service: BenchService) => Promise<void>,
  folder: string,
  parts: ChildProcess[],
): Promise<void> {
  const app = makeBenchApp();
  const keys = {
    publishableKey: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secretKey: `sb_secret_${randomBytes(24).toString('base64url')}`,
    jwtSecret: randomBytes(32).toString('hex'),
  };
  await buildWeb();
  // One after the other: each bundles the same program first.
  const database = await startPart(parts, 'database', keys);
  const host = await startPart(parts, 'code-host', {
    app,
    folder,
    organization: ORGANIZATION,
    repositories: size.repositories,
    files: FILES,
    publicToken: PUBLIC_TOKEN,
  });
  const config = { url: database['url'] ?? '', publishableKey: keys.publishableKey, secretKey: keys.secretKey };
  const web = await startWeb({
    SUPABASE_URL: config.url,
    SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
    SUPABASE_SECRET_KEY: keys.secretKey,
    SUPABASE_JWT_SECRET: keys.jwtSecret,
    SCM_WEB_URL: host['webUrl'] ?? '',
    SCM_API_URL: host['apiUrl'] ?? '',
    SCM_GRAPHQL_URL: host['graphqlUrl'] ?? '',
    ...appVariables(app),
    SCM_PUBLIC_TOKEN: PUBLIC_TOKEN,
    TRUSTED_PROXY_HOPS: '1',
    SCAN_THREADS: process.env['SCAN_THREADS'] ?? '',
    CRON_SECRET: app.webhookSecret,
  });
  try {
    const admin = createAdminDb(config);
    const users = Array.from({ length: size.members }, () => {
      const id = randomUUID();
      return { id, token: signToken(keys.jwtSecret, id, { email: `${id}@example.com` }) };
    });
    const world = await seed(admin, users, Number(host['installation']), size);
    await measure({ web: web.url, config, users, world, secret: app.webhookSecret });
  } finally {
    await web.stop();
  }
}

async function seed(
  admin: AdminDb,
  users: readonly BenchUser[],
  installation: number,
  size: BenchSize,
): Promise<World> {
  const started = performance.now();
  const [first] = users;
  if (first === undefined) throw new Error('no users');
  const { id: org } = await organizations.create(admin, { id: first.id, email: null }, 'Bench');
  const members = users
    .slice(1)
    .map(({ id }) => ({ org_id: org, user_id: id, role: 'admin', email: `${id}@example.com` }));
  unwrap(await admin.from('org_members').insert(members));
  await repositories.linkInstallation(admin, first.id, org, {
    installation_id: String(installation),
    account: ORGANIZATION,
    account_type: 'Organization',
  });
  const listed = await repositories.sync(admin, first.id, org, {
    listed: [
      {
        installation_id: String(installation),
        repositories: Array.from({ length: size.repositories }, (_, index) => ({
          scm_id: String(1_000_000 + index),
          full_name: `${ORGANIZATION}/r${index}`,
          private: false,
          html_url: `https://example.com/${ORGANIZATION}/r${index}`,
          default_branch: 'main',
          archived: false,
        })),
      },
    ],
    gone: [],
  });
  const fingerprints = Array.from({ length: size.findings }, (_, index) => index.toString(16).padStart(64, '0'));
  const outcomes = exampleOutcomes(ORGANIZATION);
  await pMap(
    listed,
    async ({ id, full_name }, index) => {
      const outcome = outcomes[index % outcomes.length];
      if (outcome === undefined) throw new Error('no examples');
      for (let scan = 0; scan < size.scansPerRepository; scan += 1) {
        await scans.persist(admin, syntheticScan(id, full_name, first.id, fingerprints, outcome));
      }
    },
    { concurrency: 4 },
  );
  const current = listed.length * size.findings;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(
    `seeded ${listed.length} repositories, ${current} current findings of ${current * size.scansPerRepository} in ${seconds} s\n`,
  );
  return {
    org,
    repoIds: listed.map(({ id }) => id),
    scmIds: listed.map(({ full_name }) => String(1_000_000 + Number(full_name.split('/r')[1]))),
    fingerprints,
  };
}
