import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Company,
  type ConnectedService,
  sloppyFiles,
  startConnectedService,
} from '../support/connected-service.ts';
import { sharedDatabase } from '../support/database.ts';
import { type Gate, startGate } from '../support/gate.ts';

const CRON_SECRET = 'a-secret-of-the-scheduler';
const RUNNING = 4;
const WAITING = 250;

let gate: Gate;
let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  gate = await startGate((await sharedDatabase()).url);
  service = await startConnectedService({ SUPABASE_URL: gate.url, CRON_SECRET });
  acme = await service.company('redelivered');
});
afterAll(async () => {
  await service?.stop();
  await gate?.stop();
});

async function monitored(): Promise<string> {
  const fullName = `redelivered/r-${randomUUID().slice(0, 8)}`;
  await service.host.addRepository({ fullName, files: sloppyFiles() });
  const repo_id = (await service.connect(acme)).get(fullName) ?? '';
  const call = { as: acme.admin, params: { repo_id }, body: { monitored: true } };
  expect((await service.call('PUT /api/repositories/{repo_id}/monitor', call)).status).toBe(200);
  return fullName;
}

const cron = async () => {
  const headers = { authorization: `Bearer ${CRON_SECRET}` };
  const { status, json } = await service.call('GET /api/cron/refresh-fix-prs', { headers });
  expect([status, Object.keys(json).sort()]).toEqual([200, ['checked', 'failed', 'refreshed']]);
};

const scanned = async (fullName: string) =>
  (
    await service.database.sql<{ commit_sha: string }>(
      'select s.commit_sha from public.repositories r join public.scans s on s.id = r.last_scan_id where r.full_name = $1',
      [fullName],
    )
  )[0]?.commit_sha;

it('the daily job has pushes delivered again that came while the database was unavailable, once', async () => {
  const fullName = await monitored();
  gate.cut('/rest/v1/rpc/begin_delivery', 'before');
  const { after } = await service.host.push(fullName, { files: { 'README.md': '# 2\n' } });
  const delivery = service.host.deliveries.at(-1);
  expect(delivery?.statusCode).toBe(503);
  expect(await scanned(fullName)).toBeUndefined();
  const attempts = () => service.host.deliveries.filter(({ guid }) => guid === delivery?.guid).length;
  await cron();
  await expect.poll(() => scanned(fullName)).toBe(after);
  await expect.poll(attempts).toBe(2);
  await cron();
  await cron();
  expect(attempts()).toBe(2);
});

it('the daily job leaves a push alone that was handled though its answer was lost', async () => {
  const fullName = await monitored();
  gate.cut('/rest/v1/rpc/end_delivery', 'after');
  const { after } = await service.host.push(fullName, { files: { 'README.md': '# 2\n' } });
  const delivery = service.host.deliveries.at(-1);
  expect([delivery?.statusCode, await scanned(fullName)]).toEqual([503, after]);
  await cron();
  expect(service.host.deliveries.filter(({ guid }) => guid === delivery?.guid)).toHaveLength(1);
});

it('the daily job rescans once a push that failed while the code host was unavailable', async () => {
  const fullName = await monitored();
  await service.host.fault({ match: 'POST /api/graphql', times: 20, effect: { kind: 'status', status: 503 } });
  const { after } = await service.host.push(fullName, { files: { 'README.md': '# 2\n' } });
  const delivery = service.host.deliveries.at(-1);
  service.host.clearFaults();
  expect([delivery?.statusCode, await scanned(fullName)]).toEqual([200, undefined]);
  await cron();
  await expect.poll(() => scanned(fullName)).toBe(after);
  const attempts = () => service.host.deliveries.filter(({ guid }) => guid === delivery?.guid).length;
  await expect.poll(attempts).toBe(2);
  await cron();
  expect(attempts()).toBe(2);
});

it('a code host that refuses to list deliveries does not fail the job', async () => {
  await service.host.fault({
    match: 'GET /app/hook/deliveries',
    times: 5,
    effect: { kind: 'status', status: 500 },
  });
  await cron();
  service.host.clearFaults();
  expect(service.log.join('')).toContain('lost deliveries not redelivered');
});

it('pushes past the length of the queue are refused at once with 503 and Retry-After, and may come again', async () => {
  const secret = service.host.app.webhookSecret;
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    after: 'a'.repeat(40),
    repository: { id: 987_654, default_branch: 'main' },
  });
  const deliver = (id: string) =>
    service.send('/api/webhooks/scm', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': id,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    });
  gate.shut();
  const queued = Array.from({ length: RUNNING + WAITING }, () => deliver(randomUUID()));
  const late = randomUUID();
  const refused = await deliver(late);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await refused.json()).toMatchObject({ code: 'not-configured', detail: expect.stringContaining('Deliver') });
  gate.open();
  for (const answer of await Promise.all(queued)) expect(answer.status).toBe(200);
  const again = await deliver(late);
  expect([again.status, await again.json()]).toEqual([200, { scans: 0, failed: 0, reason: 'unknown-repository' }]);
});
