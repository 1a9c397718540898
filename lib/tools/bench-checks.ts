import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { receiveDelivery } from '#lib/services/deliveries/receive.ts';
import { closeThreads } from '#lib/services/isolation/isolation.ts';
import { APP_PERMISSIONS } from '#lib/simulator/manifest.ts';
import { startSimulator } from '#lib/simulator/server.ts';
import { startDatabase } from '../../tests/support/database.ts';
import { appVariables, makeBenchApp } from './bench-app.ts';
import { buildWorker } from './build-worker.mjs';

const [checks = 100] = process.argv.slice(2, 3).map(Number);
const WORKFLOWS = 40;
const WARM_UP = 5;
const THREADS = 'node_modules/.cache/chainbreak/bench-checks-threads.mjs';

const workflow = (index: number, step = '') => `name: Workflow ${index}
on: { push: { branches: [main] }, pull_request_target: { types: [opened] } }
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    env: { TARGET: service-${index} }
    steps:
      - uses: actions/checkout@v6
        with: { persist-credentials: false }
      - uses: actions/setup-node@v6
        with: { node-version: 24, cache: npm }
      - run: npm ci && npm test -- "$TARGET"
${step}  deploy:
    needs: build
    if: github.event_name == 'push'
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    environment: production
    steps:
      - run: ./deploy "$GITHUB_SHA"
        env: { TOKEN: '\${{ secrets.DEPLOY_TOKEN }}' }
`;

const folder = mkdtempSync(join(tmpdir(), 'chainbreak-bench-checks-'));
const app = makeBenchApp();
const [database, host] = await Promise.all([
  startDatabase(),
  startSimulator({ port: 0, dataFolder: folder, app, publicToken: 'ghp_benchmark' }),
  buildWorker(THREADS),
]);
try {
  await main();
} finally {
  await closeThreads();
  await host.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function main(): Promise<void> {
  const { world } = host;
  const team = world.addAccount({ login: 'team', type: 'Organization' });
  world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
  const installation = world.addInstallation({ accountId: team.id, permissions: APP_PERMISSIONS });
  const path = (index: number) => `.github/workflows/w${index}.yml`;
  const files = Object.fromEntries(Array.from({ length: WORKFLOWS }, (_, index) => [path(index), workflow(index)]));
  const repository = await world.addRepository({ fullName: 'team/web', visibility: 'public', files });
  await link(installation.id, team.login);
  Object.assign(process.env, {
    CHAINBREAK_WORKER: THREADS,
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    ...appVariables(app),
  });
  const log: Log = { info: () => {}, warn: console.warn, error: console.error, with: () => log };
  const services = createServices(env(), log);
  const step = `      - run: echo "\${{ github.event.pull_request.title }}"\n`;
  const times: { readonly ms: number; readonly requests: number }[] = [];
  for (let number = 1; number <= checks + WARM_UP; number += 1) {
    const branch = `topic-${number}`;
    const index = number % WORKFLOWS;
    const changed = { [path(index)]: `# ${number}\n${workflow(index, step)}` };
    const { after, before } = await host.push('team/web', { branch, files: changed, keepOthers: true });
    const base = (await world.git(repository).object('HEAD'))?.oid ?? before;
    const payload = {
      action: 'opened',
      number,
      installation: { id: installation.id },
      repository: { id: repository.id, full_name: 'team/web' },
      pull_request: { updated_at: new Date().toISOString(), head: { sha: after }, base: { sha: base } },
    };
    const asked = host.log.length;
    const started = performance.now();
    const tasks: Promise<void>[] = [];
    await receiveDelivery(services, { id: randomUUID(), event: 'pull_request', payload }, (task) => {
      tasks.push(task());
    });
    await Promise.all(tasks);
    times.push({ ms: performance.now() - started, requests: host.log.length - asked });
    const run = world.checkRuns(repository).find(({ headOid }) => headOid === after);
    if (run?.conclusion !== 'failure') throw new Error(`A check ended ${run?.conclusion}: ${run?.title}`);
  }
  const measured = times.slice(WARM_UP);
  const sorted = measured.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => `${Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)} ms`;
  const most = Math.max(...measured.map(({ requests }) => requests));
  process.stdout.write(
    `${checks} checks of 1 in ${WORKFLOWS} workflows: at most ${most} requests each (${times[0]?.requests} for the first), p50 ${at(0.5)}, p95 ${at(0.95)}\n`,
  );
}

async function link(installationId: number, account: string): Promise<void> {
  const [org, user] = [randomUUID(), randomUUID()];
  await database.sql(
    `insert into public.organizations (id, name, personal, created_by) values ($1, 'Bench', false, $2)`,
    [org, user],
  );
  await database.sql(
    `insert into public.installations (org_id, user_id, installation_id, account, account_type)
     values ($1, $2, $3, $4, 'Organization')`,
    [org, user, installationId, account],
  );
}
