import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import {
  type Company,
  type ConnectedService,
  sloppyFiles,
  startConnectedService,
} from '../support/connected-service.ts';
import { sharedDatabase } from '../support/database.ts';
import { type Gate, startGate } from '../support/gate.ts';

let gate: Gate;
let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  gate = await startGate((await sharedDatabase()).url);
  service = await startConnectedService({ SUPABASE_URL: gate.url });
  Reflect.set(globalThis, PEER_MARK, true);
  acme = await service.company('acme');
});
afterAll(async () => {
  await service?.stop();
  await gate?.stop();
});

const LOST = ['before', 'after'] as const;
const newName = () => `acme/r-${randomUUID().slice(0, 8)}`;
const publicScan = (repo: string) =>
  service.call('POST /api/public-scan', { body: { repo }, headers: { [PEER_HEADER]: '203.0.113.7' } });

it.each(LOST)('stores a public scan once if its connection ends %s the database has it', async (when) => {
  const fullName = newName();
  await service.host.addRepository({ fullName, files: sloppyFiles() });
  gate.cut('/rest/v1/rpc/finish_public_scan', when);
  const { status, json } = await publicScan(fullName);
  expect([status, json['cached']]).toEqual([200, false]);
  expect((await publicScan(fullName)).json).toEqual({ ...json, cached: true });
  const stored = await service.database.sql('select slug, latest from public.public_scans where repo = $1', [fullName]);
  expect(stored).toEqual([{ slug: json['slug'], latest: true }]);
});

it.each(LOST)('stores the scan of a repository if its connection ends %s the database has it', async (when) => {
  const fullName = newName();
  await service.host.addRepository({ fullName, files: sloppyFiles(), visibility: 'private' });
  const id = (await service.connect(acme)).get(fullName) ?? '';
  gate.cut('/rest/v1/rpc/persist_scan', when);
  const { status, json } = await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: id } });
  expect(status).toBe(200);
  const [repository] = await service.database.sql('select last_scan_id from public.repositories where id = $1', [id]);
  expect(repository).toEqual({ last_scan_id: json['scan_id'] });
  const ledger = await service.database.sql('select 1 from public.finding_ledger where repo_id = $1', [id]);
  expect(ledger).toHaveLength(Number(json['findings']));
});

it('logs why the database did not answer, without the body of the call', async () => {
  const user = service.user();
  gate.cut('/rest/v1/rpc/create_org', 'before');
  const { status, text, json, headers } = await service.call('POST /api/orgs', { as: user, body: { name: 'zzyzx' } });
  expect([status, text]).toEqual([503, expect.not.stringMatching(/fetch|socket/i)]);
  expect([json['code'], Number(headers.get('retry-after'))]).toEqual(['not-configured', expect.any(Number)]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const line = service.log.find((each) => each.includes('"failed"')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    error: {
      message: 'The database did not answer.',
      cause: { message: expect.stringMatching(/^TypeError: fetch failed: \w*Error: .+/) },
    },
  });
  expect(line).not.toContain('zzyzx');
});
