import { createHmac, randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { createUserDb } from '../../tests/support/data-api.ts';
import { measureHarden } from './bench-api-harden.ts';
import { measureHostile } from './bench-api-hostile.ts';
import { measurePaths } from './bench-api-paths.ts';
import { measureReads } from './bench-api-reads.ts';
import { type BenchService, withBenchService } from './bench-service.ts';

const [repositoryCount = 1_000, findingCount = 50, requestCount = 300] = process.argv.slice(2, 5).map(Number);
const [wanted = ''] = process.argv.slice(5);
const CONCURRENCY = 50;
const MEMBERS = 400;

const SCANS = 3;

const scans = wanted === 'paths' ? 1 : SCANS;
const size = { repositories: repositoryCount, findings: findingCount, scansPerRepository: scans, members: MEMBERS };
await withBenchService(size, async (service) => {
  if (wanted === 'hostile') return measureHostile(service);
  if (wanted === 'paths') return measurePaths(service);
  if (wanted === 'reads') return measureReads(service);
  await measureHarden(service.web);
  await measurePaths(service);
  await measureReads(service);
  await measure(service);
});

async function measure({ web, config, users, world, secret }: BenchService): Promise<void> {
  const { org, repoIds, scmIds, fingerprints } = world;
  const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  const api =
    (path: string, method = 'GET', body?: unknown) =>
    async (index: number) => {
      const { token } = of(users, index);
      const response = await fetch(`${web}${path.replace('{repo}', of(repoIds, index * 7))}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(typeof body === 'function' ? body(index) : body) }),
      });
      await response.arrayBuffer();
      return response.ok;
    };
  const direct = (read: (db: ReturnType<typeof createUserDb>, index: number) => PromiseLike<{ error: unknown }>) => {
    const clients = users.map(({ token }) => createUserDb(config, token));
    return async (index: number) => (await read(of(clients, index), index)).error === null;
  };
  const push = async (index: number) => {
    const body = JSON.stringify({
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository: { id: Number(of(scmIds, index)), default_branch: 'main' },
    });
    const response = await fetch(`${web}/api/webhooks/scm`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    });
    await response.arrayBuffer();
    return response.ok;
  };
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const cases: readonly [string, (index: number) => Promise<boolean>, number?][] = [
    ['GET /api/health', api('/api/health')],
    ['GET /api/capabilities', api('/api/capabilities')],
    ['GET /api/rules', api('/api/rules')],
    ['GET /api/orgs', api('/api/orgs')],
    [`GET …/members (${MEMBERS})`, api(`/api/orgs/${org}/members`)],
    ['GET …/pr-gate', api(`/api/orgs/${org}/pr-gate`)],
    ['GET …/invites', api(`/api/orgs/${org}/invites`)],
    ['GET /api/invites', api('/api/invites')],
    ['GET /api/rule-settings', api(`/api/rule-settings?org=${org}`)],
    ['GET …/rule-overrides', api('/api/repositories/{repo}/rule-overrides')],
    ['GET /api/rule-overrides', api(`/api/rule-overrides?org=${org}`)],
    ['GET /api/attack-paths', api(`/api/attack-paths?org=${org}`)],
    ['GET …/combos', api('/api/repositories/{repo}/combos')],
    ['GET /api/public-stats', api('/api/public-stats')],
    [
      'read: 50 findings of a scan',
      direct((db, index) =>
        db.from('findings').select('*').eq('repo_id', of(repoIds, index)).order('severity').limit(50),
      ),
    ],
    [
      'read: findings at HIGH, page of 50',
      direct((db) =>
        db.from('findings').select('*').eq('org_id', org).eq('severity', 'HIGH').order('rule_id').range(0, 49),
      ),
    ],
    [
      'read: repositories, page of 100',
      direct((db) => db.from('repositories').select('*').eq('org_id', org).order('full_name').range(0, 99)),
    ],
    [
      'read: current findings, page of 50',
      direct((db) =>
        db
          .from('current_findings')
          .select('*')
          .eq('org_id', org)
          .eq('status', 'open')
          .order('severity_rank', { ascending: false })
          .order('first_seen_at', { ascending: false })
          .order('repo_id')
          .order('fingerprint')
          .range(0, 49),
      ),
    ],
    [
      'read: current findings at HIGH, counted',
      direct((db) =>
        db
          .from('current_findings')
          .select('fingerprint', { count: 'exact' })
          .eq('org_id', org)
          .eq('severity', 'HIGH')
          .range(0, 49),
      ),
    ],
    [
      'read: repositories with their last scan, page of 50',
      direct((db) => db.from('repository_overview').select('*').eq('org_id', org).order('full_name').range(0, 49)),
    ],
    ['read: totals by rule', direct((db) => db.rpc('read_finding_groups', { p_org_id: org, p_by: 'rule' }))],
    ['read: open over 90 days', direct((db) => db.rpc('read_open_over_time', { p_org_id: org, p_days: 90 }))],
    ['read: used actions', direct((db) => db.rpc('read_used_actions', { p_org_id: org }))],
    ['read: pulse', direct((db) => db.rpc('read_org_pulse', { p_org_id: org }))],
    ['PUT …/pr-gate', api(`/api/orgs/${org}/pr-gate`, 'PUT', { fail_on: 'high', new_only: true })],
    ['PUT /api/rule-settings/{rule}', api(`/api/rule-settings/missing-timeout?org=${org}`, 'PUT', { enabled: true })],
    [
      'PUT …/rule-overrides/{rule}',
      api('/api/repositories/{repo}/rule-overrides/missing-timeout', 'PUT', { enabled: true }),
    ],
    [
      'PUT …:batch (100 changes)',
      api(`/api/rule-overrides:batch?org=${org}`, 'PUT', (index: number) => ({
        changes: Array.from({ length: 100 }, (_, n) => ({
          rule_id: 'missing-timeout',
          repository_id: of(repoIds, index * 100 + n),
          value: n % 2 ? 'enabled' : 'inherit',
        })),
      })),
      100,
    ],
    ['PUT …/monitor', api('/api/repositories/{repo}/monitor', 'PUT', { monitored: true })],
    [
      'PUT …/findings/{fingerprint}/status',
      api(`/api/repositories/{repo}/findings/${of(fingerprints, 3)}/status`, 'PUT', {
        status: 'snoozed',
        expires_at: later,
      }),
    ],
    [
      'PUT /api/notification-settings',
      api('/api/notification-settings', 'PUT', {
        slack_webhook_url: 'https://hooks.slack.com/services/T0BENCH/B0BENCH/abcdefghijklmnopqrstuvwx',
        enabled: false,
      }),
    ],
    ['POST /api/scan (first)', api('/api/scan', 'POST', (index: number) => ({ repo_id: of(repoIds, index) }))],
    ['POST /api/scan (unchanged)', api('/api/scan', 'POST', (index: number) => ({ repo_id: of(repoIds, index) }))],
    ['POST /api/webhooks/scm (push)', push],
    [`GET /api/repos (${repositoryCount})`, api(`/api/repos?org=${org}`), 60],
  ];
  process.stdout.write(
    `\n${CONCURRENCY} at a time             requests failed   p50 ms   p95 ms   p99 ms  per second\n`,
  );
  for (const [name, call, count = requestCount] of cases.filter(([name]) => name.includes(wanted))) {
    await call(0);
    const times: number[] = [];
    let failed = 0;
    const started = performance.now();
    await pMap(
      Array.from({ length: count }, (_, index) => index),
      async (index) => {
        const start = performance.now();
        if (!(await call(index))) failed += 1;
        times.push(performance.now() - start);
      },
      { concurrency: CONCURRENCY },
    );
    const total = (performance.now() - started) / 1000;
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
    const columns = [String(count), String(failed), at(0.5), at(0.95), at(0.99), (count / total).toFixed(0)];
    process.stdout.write(`${name.padEnd(38)}${columns.map((column) => column.padStart(9)).join('')}\n`);
  }
}
