import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Company,
  type ConnectedService,
  sloppyFiles,
  startConnectedService,
} from '../support/connected-service.ts';
import { startWeb } from '../support/web.ts';

let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
  acme = await service.company('acme');
}, 180_000);
afterAll(() => service?.stop());

const TABLES = ['scans', 'findings', 'finding_ledger', 'scan_rules', 'scan_inputs'];
const rowsOf = async () =>
  Promise.all(
    TABLES.map(async (table) => {
      const [row] = await service.database.sql<{ n: number }>(`select count(*)::int as n from public.${table}`);
      return row?.n;
    }),
  );

async function asked(): Promise<void> {
  for (;;) {
    if ((await service.host.log()).some(({ fault }) => fault === 'hang')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function newRepository(name: string) {
  const { id: scmId } = await service.host.addRepository({ fullName: `acme/${name}`, files: sloppyFiles() });
  const id = (await service.connect(acme)).get(`acme/${name}`) ?? '';
  await service.host.log();
  await service.host.fault({ match: 'POST /api/graphql', effect: { kind: 'hang' } });
  return { id, scmId };
}

describe('a process that is killed', () => {
  it('during a scan leaves nothing half-written, and the next scan works', async () => {
    const { id } = await newRepository('scanned');
    const scan = (url: string) =>
      fetch(`${url}/api/scan`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${acme.admin.token}` },
        body: JSON.stringify({ repo_id: id }),
      });
    const first = await startWeb(service.variables);
    const lost = scan(first.url).catch(() => 'cut off');
    await asked();
    await first.kill();
    expect(await lost).toBe('cut off');
    expect(await rowsOf()).toEqual([0, 0, 0, 0, 0]);

    service.host.clearFaults();
    const second = await startWeb(service.variables);
    const answer = await scan(second.url);
    expect([answer.status, ((await answer.json()) as { findings: number }).findings > 0]).toEqual([200, true]);
    await second.stop();
  });

  it('during a delivery lets the same delivery be handled again', async () => {
    const { id, scmId } = await newRepository('pushed');
    const params = { repo_id: id };
    await service.call('PUT /api/repositories/{repo_id}/monitor', {
      as: acme.admin,
      params,
      body: { monitored: true },
    });
    const repository = { id: scmId, default_branch: 'main' };
    const body = JSON.stringify({ ref: 'refs/heads/main', after: 'a'.repeat(40), repository });
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', service.host.app.webhookSecret).update(body).digest('hex')}`,
    };
    const deliver = (url: string) => fetch(`${url}/api/webhooks/scm`, { method: 'POST', headers, body });
    const first = await startWeb(service.variables);
    const lost = deliver(first.url).catch(() => 'cut off');
    await asked();
    await first.kill();
    expect(await lost).toBe('cut off');

    service.host.clearFaults();
    const second = await startWeb(service.variables);
    expect(await (await deliver(second.url)).json()).toEqual({ scans: 1, failed: 0 });
    expect(await (await deliver(second.url)).json()).toEqual({ reason: 'replayed' });
    await second.stop();
  });
});
