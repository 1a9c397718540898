import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readExpiry } from '#lib/services/triage/set.ts';
import {
  type Company,
  type ConnectedService,
  sloppyFiles,
  startConnectedService,
} from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';

const OPERATION = 'PUT /api/repositories/{repo_id}/findings/{fingerprint}/status';
const DAY = 24 * 60 * 60 * 1000;

let service: ConnectedService;
let acme: Company;
let id: string;
let fingerprint: string;
let open: Readonly<Record<string, number>>;

beforeAll(async () => {
  service = await startConnectedService({ CRON_SECRET: 'a-secret-of-the-scheduler' }, { ownDatabase: true });
  acme = await service.company('acme');
  await service.host.addRepository({ fullName: 'acme/shop', files: sloppyFiles() });
  await service.host.addRepository({ fullName: 'acme/other', files: sloppyFiles() });
  const ids = await service.connect(acme);
  id = ids.get('acme/shop') ?? '';
  for (const repo of ids.values()) await scan(repo);
  open = (await scan(id)).json['counts'] as typeof open;
  const [row] = await service.database.sql<{ fingerprint: string }>(
    `select f.fingerprint from public.findings f join public.repositories r on r.last_scan_id = f.scan_id
     where r.id = $1 and f.severity = 'HIGH' order by f.fingerprint`,
    [id],
  );
  fingerprint = row?.fingerprint ?? '';
});
afterAll(() => service?.stop());
beforeEach(() => triage({ status: 'open' }));

const scan = (repo: string) => service.call('POST /api/scan', { as: acme.admin, body: { repo_id: repo } });
const triage = (body: unknown, as: TestUser = acme.admin, where: { repo_id?: string; fingerprint?: string } = {}) =>
  service.call(OPERATION, { as, params: { repo_id: id, fingerprint, ...where }, body });
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const stored = async () =>
  (
    await service.database.sql(
      'select status, reason, expires_at::text as expires_at, updated_by from public.finding_ledger where repo_id = $1 and fingerprint = $2',
      [id, fingerprint],
    )
  )[0];
const fewer = () => ({ ...open, high: (open['high'] ?? 0) - 1 });

describe('PUT /api/repositories/{repo_id}/findings/{fingerprint}/status', () => {
  it.each(['dismissed', 'false_positive'])('%s closes the finding and ignores expires_at', async (status) => {
    const { json } = await triage({ status, reason: 'a test', expires_at: { not: 'parsed' } });
    expect(json).toEqual({ status, counts: fewer() });
    expect(await stored()).toEqual({ status, reason: 'a test', expires_at: null, updated_by: acme.admin.id });
  });

  it.each(['accepted', 'snoozed'])('%s requires a time and closes the finding until then', async (status) => {
    const { json } = await triage({ status, expires_at: later(DAY) });
    expect(json).toEqual({ status, counts: fewer() });
    expect((await stored())?.['expires_at']).not.toBeNull();
  });

  it('open reopens it and keeps the history', async () => {
    await triage({ status: 'snoozed', expires_at: later(DAY), reason: 'later' });
    const { json } = await triage({ status: 'open' });
    expect(json).toEqual({ status: 'open', counts: open });
    expect(await stored()).toEqual({ status: 'open', reason: null, expires_at: null, updated_by: acme.admin.id });
    const events = await service.database.sql(
      `select from_status, to_status, reason, actor from public.triage_events where repo_id = $1 order by created_at desc limit 2`,
      [id],
    );
    expect(events).toEqual([
      { from_status: 'snoozed', to_status: 'open', reason: null, actor: acme.admin.id },
      { from_status: 'open', to_status: 'snoozed', reason: 'later', actor: acme.admin.id },
    ]);
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['no time', 'tomorrow'],
    ['no date of the calendar', '2027-02-30T00:00:00Z'],
    ['a number', Date.now() + DAY],
    ['past', '2020-01-01T00:00:00Z'],
    ['beyond two years', new Date(Date.now() + 2 * 366 * DAY).toISOString()],
  ])('refuses a time that is %s with 400 and leaves the status alone', async (_, expires_at) => {
    for (const status of ['accepted', 'snoozed']) {
      const answer = await triage({ status, ...(expires_at === undefined ? {} : { expires_at }) });
      expect([answer.status, answer.json['code']]).toEqual([400, 'validation-failed']);
      expect(answer.json['errors']).toMatchObject([{ path: 'expires_at' }]);
    }
    expect(await stored()).toMatchObject({ status: 'open' });
  });

  it('accepts exactly two years, and not a millisecond more', () => {
    const now = new Date('2026-02-28T12:00:00.000Z');
    const latest = { ok: true, at: '2028-02-28T12:00:00.000Z' };
    expect(readExpiry('2028-02-28T12:00:00.000Z', now)).toEqual(latest);
    expect(readExpiry('2028-02-28T13:00:00.000+01:00', now)).toEqual(latest);
    expect(readExpiry('2028-02-28T12:00:00.001Z', now)).toMatchObject({ ok: false });
    expect(readExpiry('2026-02-28T12:00:00.000Z', now)).toMatchObject({ ok: false });
  });

  it.each([
    ['an unknown status', { status: 'ignored' }],
    ['no status', {}],
    ['a reason of 2,001 characters', { status: 'dismissed', reason: 'x'.repeat(2001) }],
    ['a reason that is no text', { status: 'dismissed', reason: 1 }],
    ['an unknown field', { status: 'dismissed', until: 'later' }],
    ['an unknown if_status', { status: 'dismissed', if_status: 'new' }],
  ])('refuses %s with 400', async (_, body) => {
    const { status, json } = await triage(body);
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
  });

  it('takes a reason of 2,000 characters, and null for none', async () => {
    expect((await triage({ status: 'dismissed', reason: 'x'.repeat(2000) })).status).toBe(200);
    expect((await triage({ status: 'dismissed', reason: null })).status).toBe(200);
    expect(await stored()).toMatchObject({ reason: null });
  });

  it('answers the same 404 for unknown findings, foreign and unknown repositories', async () => {
    const stranger = service.user();
    const body = { status: 'dismissed' };
    const unseen = await triage(body, acme.admin, { fingerprint: 'f'.repeat(64) });
    expect([unseen.status, unseen.json['code']]).toEqual([404, 'not-found']);
    const blank = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
    const [theirs, missing] = [await triage(body, stranger), await triage(body, stranger, { repo_id: randomUUID() })];
    expect([theirs.status, blank(theirs.text)]).toEqual([404, blank(missing.text)]);
    expect((await triage(body, acme.admin, { fingerprint: 'no-fingerprint' })).status).toBe(404);
    expect(await stored()).toMatchObject({ status: 'open' });
  });

  it('with if_status changes only a finding that still has it: 409', async () => {
    expect((await triage({ status: 'dismissed', if_status: 'open' })).status).toBe(200);
    const refused = await triage({ status: 'open', if_status: 'snoozed' });
    expect([refused.status, refused.json['code']]).toEqual([409, 'changed-meanwhile']);
    expect(await stored()).toMatchObject({ status: 'dismissed', updated_by: acme.admin.id });
  });

  it('with if_status is applied once for 20 concurrent callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => triage({ status: 'dismissed', if_status: 'open' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('does not affect the same finding in other repositories', async () => {
    await triage({ status: 'dismissed' });
    const others = await service.database.sql(
      `select status from public.finding_ledger where fingerprint = $1 and repo_id <> $2`,
      [fingerprint, id],
    );
    expect(others).toEqual([{ status: 'open' }]);
  });

  it('survives the next scan', async () => {
    await triage({ status: 'false_positive' });
    const { json } = await scan(id);
    expect(json).toMatchObject({ counts: fewer(), new_findings: 0 });
    expect(await stored()).toMatchObject({ status: 'false_positive' });
  });

  it('agrees with the counts of concurrent scans', async () => {
    for (let round = 0; round < 5; round += 1) {
      const status = round % 2 === 0 ? 'dismissed' : 'open';
      await Promise.all([triage({ status }), scan(id), triage({ status }), scan(id)]);
      const [row] = await service.database.sql<{ high: number; truth: number }>(
        `select s.high, (select count(*)::int from public.findings f join public.finding_ledger l
           on l.repo_id = f.repo_id and l.fingerprint = f.fingerprint and l.status = 'open'
           where f.scan_id = s.id and f.severity = 'HIGH') as truth
         from public.scans s join public.repositories r on r.last_scan_id = s.id where r.id = $1`,
        [id],
      );
      expect(row?.high).toBe(row?.truth);
      expect(row?.high).toBe((open['high'] ?? 0) - (status === 'open' ? 0 : 1));
    }
  });

  it('needs a token: 401', async () => {
    const { status } = await service.call(OPERATION, {
      params: { repo_id: id, fingerprint },
      body: { status: 'open' },
    });
    expect(status).toBe(401);
  });
});

describe('GET /api/cron/expire-triage', () => {
  const cron = (secret?: string) =>
    service.call('GET /api/cron/expire-triage', {
      ...(secret === undefined ? {} : { headers: { authorization: `Bearer ${secret}` } }),
    });
  const lapse = () =>
    service.database.sql(
      `update public.finding_ledger set expires_at = now() - interval '1 second' where expires_at is not null`,
    );

  it.each(['accepted', 'snoozed'])('reopens expired findings that were %s, and counts them', async (status) => {
    await triage({ status, expires_at: later(DAY) });
    expect((await cron('a-secret-of-the-scheduler')).json).toEqual({ expired: 0, repositories: 0 });
    await lapse();
    const { status: code, json } = await cron('a-secret-of-the-scheduler');
    expect([code, json]).toEqual([200, { expired: 1, repositories: 1 }]);
    expect(await stored()).toMatchObject({ status: 'open', expires_at: null });
    const [row] = await service.database.sql(
      'select s.high, s.medium, s.low, s.info from public.scans s join public.repositories r on r.last_scan_id = s.id where r.id = $1',
      [id],
    );
    expect(row).toEqual(open);
    const [event] = await service.database.sql(
      'select to_status, actor from public.triage_events where repo_id = $1 order by created_at desc limit 1',
      [id],
    );
    expect(event).toEqual({ to_status: 'open', actor: null });
  });

  it('deletes the details of old scans, and not of the last one', async () => {
    const [last] = await service.database.sql<{ id: string; org_id: string }>(
      'select s.id, s.org_id from public.scans s join public.repositories r on r.last_scan_id = s.id where r.id = $1',
      [id],
    );
    await service.database.sql(
      `update public.scans set finished_at = finished_at - interval '91 days' where repo_id = $1`,
      [id],
    );
    const pruned = () =>
      service.database.sql<{ id: string; pruned: boolean }>(
        'select id, pruned_at is not null as pruned from public.scans where repo_id = $1',
        [id],
      );
    expect((await cron('a-secret-of-the-scheduler')).status).toBe(200);
    const rows = await pruned();
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter((row) => !row.pruned).map((row) => row.id)).toEqual([last?.id]);
  });

  it('counts a finding once in concurrent runs', async () => {
    await triage({ status: 'snoozed', expires_at: later(DAY) });
    await lapse();
    const answers = await Promise.all(Array.from({ length: 4 }, () => cron('a-secret-of-the-scheduler')));
    const expired = answers.map(({ json }) => Number(json['expired']));
    expect(expired.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it.each([undefined, 'wrong', 'a-secret-of-the-scheduler2'])('refuses the secret %s with 401', async (secret) => {
    expect((await cron(secret)).status).toBe(401);
  });

  it("refuses a user's token with 401", async () => {
    expect((await cron(acme.admin.token)).status).toBe(401);
  });
});
