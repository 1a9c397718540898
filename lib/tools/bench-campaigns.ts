import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import { parseEnv } from '#lib/env.ts';
import { createLog } from '#lib/log.ts';
import { createCampaign, readCampaign } from '#lib/services/campaigns/campaigns.ts';
import { refreshFixes } from '#lib/services/campaigns/refresh.ts';
import { remediateRow } from '#lib/services/campaigns/remediate.ts';
import { createServices } from '#lib/services/context.ts';
import { refreshRepositories } from '#lib/services/repositories/refresh.ts';
import { type Simulator, startSimulator } from '#lib/simulator/server.ts';
import { startDatabase } from '../../tests/support/database.ts';
import { appVariables, makeBenchApp } from './bench-app.ts';

const [repositoryCount = 100, fileCount = 3, refreshCount = 1_000] = process.argv.slice(2, 5).map(Number);
const INSTALLATIONS = 10;
const AT_ONCE = 3;
const PULLS_OF_A_REPOSITORY = 50;
const PERMISSIONS = { metadata: 'read', contents: 'write', pull_requests: 'write', workflows: 'write' };
const WORKFLOW = `on: [pull_request_target]
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
`;

const folder = mkdtempSync(join(tmpdir(), 'chainbreak-bench-campaigns-'));
const app = makeBenchApp();
const database = await startDatabase();
const simulator = await startSimulator({ port: 0, dataFolder: folder, app, publicToken: 'ghp_benchmark' });
try {
  await main(simulator);
} finally {
  await simulator.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function main(host: Simulator): Promise<void> {
  const env = parseEnv({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    ...appVariables(app),
    IMAGE_LOOKUP: 'off',
    PACKAGE_LOOKUP: 'off',
    SCAN_THREADS: '0',
  });
  const services = createServices(
    env,
    createLog((line) => process.stderr.write(line)),
  );
  const db = services.adminDb();
  const user = { id: randomUUID(), email: null };

  const files = Object.fromEntries(
    Array.from({ length: fileCount }, (_, n) => [`.github/workflows/w${n}.yml`, `name: w${n}\n${WORKFLOW}`]),
  );
  const names = Array.from({ length: repositoryCount }, (_, n) => `fixes${n % INSTALLATIONS}/r${n}`);
  await host.world.addRepositories(names.map((fullName) => ({ fullName, files })));
  const all = await link(names);
  const made = await createCampaign(services, user, all.orgId, {
    ruleset: 'all',
    repoIds: all.repositories.map(({ id }) => id),
  });
  const campaignId = made.campaign.id;
  const times: number[] = [];
  const before = host.log.length;
  const started = performance.now();
  await pMap(
    made.repos.toSorted((a, b) => lastOf(a.full_name) - lastOf(b.full_name)),
    async ({ repo_id: repoId, full_name: name }) => {
      const start = performance.now();
      const { error } = await remediateRow(services, user, all.orgId, { campaignId, repoId });
      times.push(performance.now() - start);
      if (error !== null) process.stdout.write(`${name}: ${error}\n`);
    },
    { concurrency: AT_ONCE },
  );
  const took = performance.now() - started;
  const sent = host.log.slice(before);
  const { rollup } = await readCampaign(services, user.id, campaignId);
  times.sort((a, b) => a - b);
  const p50 = times[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(
    `remediate ${repositoryCount} repositories with ${fileCount} files: ${rollup.prs_opened} pull requests in ` +
      `${seconds(took)} s, ${(sent.length / Math.max(1, rollup.prs_opened)).toFixed(2)} requests each, ` +
      `p50 ${seconds(p50)} s a repository; ${JSON.stringify(rollup)}\n`,
  );
  for (const [kind, count] of kindsOf(sent)) process.stdout.write(`  ${String(count).padStart(6)} ${kind}\n`);

  await database.sql(`update public.fix_pull_requests set state = 'closed', closed_at = now()`);
  const holders = Array.from({ length: Math.ceil(refreshCount / PULLS_OF_A_REPOSITORY) }, (_, n) => `refreshes/r${n}`);
  await host.world.addRepositories(holders.map((fullName) => ({ fullName, files: { 'README.md': '# Bench\n' } })));
  const refreshed = await link(holders);
  const ids = new Map(refreshed.repositories.map(({ full_name, id }) => [full_name, id]));
  await pMap(
    holders,
    async (fullName, index) => {
      const count = Math.min(PULLS_OF_A_REPOSITORY, refreshCount - index * PULLS_OF_A_REPOSITORY);
      for (let n = 1; n <= count; n += 1) {
        await host.push(fullName, { branch: `fix-${n}`, files: { [`${n}.md`]: '#\n' } });
        await host.people.open(fullName, { title: `Fix ${n}`, head: `fix-${n}` });
      }
      await database.sql(
        `insert into public.fix_pull_requests (org_id, repo_id, file, number, url, branch, rule_ids, fingerprints)
         select org_id, id, n || '.md', n, 'https://example.com', 'fix-' || n, '{}', '{}'
         from public.repositories, generate_series(1, $2) n where id = $1`,
        [ids.get(fullName), count],
      );
    },
    { concurrency: 4 },
  );
  const from = host.log.length;
  const began = performance.now();
  const result = await refreshFixes(services);
  const time = performance.now() - began;
  process.stdout.write(
    `refresh ${refreshCount} pull requests: ${host.log.length - from} requests, ${seconds(time)} s; ` +
      `${JSON.stringify(result)}\n`,
  );

  async function link(fullNames: readonly string[]) {
    const { id: orgId } = await organizations.create(db, user, 'Bench');
    for (const login of new Set(fullNames.map((name) => name.split('/')[0] ?? ''))) {
      const accountId = host.world.account(login)?.id ?? 0;
      const { id } = host.world.addInstallation({ accountId, permissions: PERMISSIONS });
      await repositories.linkInstallation(db, user.id, orgId, {
        installation_id: String(id),
        account: login,
        account_type: 'Organization',
      });
    }
    return { orgId, repositories: (await refreshRepositories(services, user, orgId)).repositories };
  }
}

function kindsOf(log: Simulator['log']): [string, number][] {
  const counts = new Map<string, number>();
  for (const { method, path, operation } of log) {
    const kind = operation ?? `${method} ${path.replaceAll(/\d+/g, '{id}')}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);
}

function lastOf(fullName: string): number {
  return Number(/\d+$/.exec(fullName)?.[0] ?? 0);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
