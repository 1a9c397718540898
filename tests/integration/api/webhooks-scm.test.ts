import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatForTests, startChat } from '../../support/chat.ts';
import {
  type Company,
  type ConnectedService,
  QUIET,
  SLOPPY,
  sloppyFiles,
  startConnectedService,
} from '../../support/connected-service.ts';

let service: ConnectedService;
let acme: Company;
let chat: ChatForTests;

beforeAll(async () => {
  chat = await startChat();
  service = await startConnectedService({ CHAT_WEBHOOK_ORIGIN: chat.origin });
  acme = await service.company('acme');
});
afterAll(async () => {
  await service?.stop();
  await chat?.stop();
});
beforeEach(() => service.host.log());

interface Sent {
  readonly event?: string;
  readonly id?: string;
  readonly body?: string | Buffer;
  readonly signature?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECRET = 'secret-of-the-webhook';

const sign = (body: string | Buffer, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function send({ event = 'push', id = randomUUID(), body = '{}', signature, headers = {} }: Sent) {
  const given = signature === undefined ? sign(body) : signature;
  const response = await service.send('/api/webhooks/scm', {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      ...(given === null ? {} : { 'x-hub-signature-256': given }),
      ...headers,
    },
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const pushOf = (scmId: number, given: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    after: 'a'.repeat(40),
    deleted: false,
    repository: { id: scmId, full_name: 'acme/renamed-since', default_branch: 'main' },
    ...given,
  });

let repositories = 0;
async function monitored(files: Readonly<Record<string, string>> = sloppyFiles()) {
  const fullName = `acme/r${(repositories += 1)}`;
  const made = await service.host.addRepository({ fullName, files, visibility: 'private' });
  const id = (await service.connect(acme)).get(fullName) ?? '';
  await monitor(id);
  await service.host.log();
  return { id, fullName, made };
}
const monitor = (id: string, on = true) =>
  service.call('PUT /api/repositories/{repo_id}/monitor', {
    as: acme.admin,
    params: { repo_id: id },
    body: { monitored: on },
  });
const scansOf = (id: string) =>
  service.database.sql<{ trigger: string; user_id: string; findings: number }>(
    'select trigger, user_id, findings from public.scans where repo_id = $1 order by finished_at',
    [id],
  );

describe('POST /api/webhooks/scm: acknowledged without effect', () => {
  it.each([
    ['ping', { event: 'ping', body: '{"zen":"."}' }, 'ping'],
    ['another event', { event: 'issues', body: '{"action":"opened"}' }, 'unsupported-event'],
    ['a push to another branch', { body: pushOf(1, { ref: 'refs/heads/topic' }) }, 'not-default-branch'],
    ['a tag', { body: pushOf(1, { ref: 'refs/tags/v1' }) }, 'not-default-branch'],
    ['a branch that was deleted', { body: pushOf(1, { deleted: true, after: '0'.repeat(40) }) }, 'branch-deleted'],
  ])('%s', async (_, sent, reason) => {
    expect(await send(sent)).toEqual({ status: 200, json: { reason } });
    expect(await service.host.log()).toEqual([]);
  });

  it('a push to an unknown or unmonitored repository', async () => {
    expect((await send({ body: pushOf(987_654_321) })).json).toEqual({
      scans: 0,
      failed: 0,
      reason: 'unknown-repository',
    });
    const { id, made } = await monitored();
    await monitor(id, false);
    expect((await send({ body: pushOf(made.id) })).json).toEqual({ scans: 0, failed: 0, reason: 'not-monitored' });
    expect(await service.host.log()).toEqual([]);
  });

  it('a repeated delivery', async () => {
    const { id, made } = await monitored();
    const delivery = { id: randomUUID(), body: pushOf(made.id) };
    expect((await send(delivery)).json).toEqual({ scans: 1, failed: 0 });
    expect((await send(delivery)).json).toEqual({ reason: 'replayed' });
    expect((await send({ ...delivery, event: 'ping' })).json).toEqual({ reason: 'replayed' });
    expect(await scansOf(id)).toHaveLength(1);
  });
});

describe('POST /api/webhooks/scm: a push to a default branch', () => {
  it('scans for everyone who monitors the repository, from a real delivery', async () => {
    const { id, fullName } = await monitored({ '.github/workflows/ci.yml': QUIET });
    await service.host.push(fullName, { files: sloppyFiles() });
    expect(service.host.deliveries.at(-1)).toMatchObject({ event: 'push', statusCode: 200 });
    const [row] = await scansOf(id);
    expect(row).toMatchObject({ trigger: 'push', user_id: acme.admin.id });
    expect(row?.findings).toBeGreaterThan(3);
  });

  it('reads once, scans once per selection of rules, and stores one scan per row', async () => {
    const { made } = await monitored();
    const teams = await Promise.all(
      Array.from({ length: 10 }, async (_, number) => {
        const { json } = await service.call('POST /api/orgs', { as: acme.admin, body: { name: `Team ${number}` } });
        const org = String(json['id']);
        const query = `?org=${org}`;
        await service.call('GET /api/scm/callback', {
          as: acme.admin,
          query: `${query}&installation_id=${acme.installation.id}`,
        });
        const listed = await service.call('GET /api/repos', { as: acme.admin, query });
        const all = listed.json['repositories'] as { id: string; html_url: string }[];
        const rows = await service.database.sql<{ id: string }>(
          'select id from public.repositories where org_id = $1 and scm_id = $2',
          [org, String(made.id)],
        );
        expect(all.map(({ id }) => id)).toContain(rows[0]?.id);
        await monitor(rows[0]?.id ?? '');
        if (number < 4) {
          await service.call('PUT /api/rule-settings/{rule_id}', {
            as: acme.admin,
            query,
            params: { rule_id: 'template-injection' },
            body: { enabled: false },
          });
        }
        return rows[0]?.id ?? '';
      }),
    );
    await service.host.log();
    expect((await send({ body: pushOf(made.id) })).json).toEqual({ scans: 11, failed: 0 });
    const work = (await service.host.log()).filter(({ path }) => !path.endsWith('/access_tokens'));
    expect(work.flatMap(({ operation }) => operation ?? [])).toEqual([
      'RepositoryFiles',
      'RepositorySettings',
      'Actions',
    ]);
    expect(new Set(work.map(({ path, operation }) => operation ?? path)).size).toBe(work.length);
    const counts = await Promise.all(teams.map(async (id) => (await scansOf(id)).map(({ findings }) => findings)));
    expect(new Set(counts.slice(0, 4).flat()).size).toBe(1);
    expect(new Set(counts.slice(4).flat()).size).toBe(1);
    expect(counts[4]?.[0]).toBe((counts[0]?.[0] ?? 0) + 1);
  });

  it('scans the current head if deliveries are out of order', async () => {
    const { id, fullName, made } = await monitored({ '.github/workflows/ci.yml': QUIET });
    await service.host.push(fullName, { files: { '.github/workflows/ci.yml': SLOPPY } });
    await service.host.push(fullName, { files: { '.github/workflows/ci.yml': QUIET } });
    const [sloppy, quiet] = (await scansOf(id)).map(({ findings }) => findings);
    expect(sloppy).toBeGreaterThan(quiet ?? 0);
    await send({ body: pushOf(made.id, { after: 'b'.repeat(40) }) });
    await send({ body: pushOf(made.id, { after: 'a'.repeat(40) }) });
    expect((await scansOf(id)).map(({ findings }) => findings)).toEqual([sloppy, quiet, quiet, quiet]);
  });

  it('finds a renamed repository, and removes one that left the installation', async () => {
    const { id, made } = await monitored();
    service.host.world.updateRepository(made, { name: 'renamed-since' });
    expect((await send({ body: pushOf(made.id) })).json).toEqual({ scans: 1, failed: 0 });
    service.host.world.updateInstallation(acme.installation, { repositoryIds: [] });
    expect((await send({ body: pushOf(made.id) })).json).toEqual({ scans: 1, failed: 1 });
    service.host.world.updateInstallation(acme.installation, { repositoryIds: null });
    expect((await send({ body: pushOf(made.id) })).json).toEqual({ scans: 0, failed: 0, reason: 'unknown-repository' });
    expect(await scansOf(id)).toHaveLength(1);
  });

  it('reports a failed scan and accepts the delivery again', async () => {
    const { id, made } = await monitored();
    const delivery = { id: randomUUID(), body: pushOf(made.id) };
    await service.host.fault({ match: 'POST /api/graphql', times: 10, effect: { kind: 'status', status: 502 } });
    expect(await send(delivery)).toEqual({ status: 200, json: { scans: 1, failed: 1 } });
    service.host.clearFaults();
    expect((await send(delivery)).json).toEqual({ scans: 1, failed: 0 });
    expect((await send(delivery)).json).toEqual({ reason: 'replayed' });
    expect(await scansOf(id)).toHaveLength(1);
  });

  it('handles concurrent copies once', async () => {
    const { id, made } = await monitored();
    const delivery = { id: randomUUID(), body: pushOf(made.id) };
    const answers = await Promise.all([send(delivery), send(delivery), send(delivery)]);
    expect(answers.filter(({ json }) => json['scans'] === 1)).toHaveLength(1);
    expect(answers.filter(({ json }) => json['reason'] === 'replayed')).toHaveLength(2);
    expect(await scansOf(id)).toHaveLength(1);
  });

  it('can be repeated after its process died and the claim expired', async () => {
    const { id, made } = await monitored();
    const delivery = { id: randomUUID(), body: pushOf(made.id) };
    await service.database.sql(
      `insert into public.webhook_deliveries (id, event, claim, claimed_until)
       values ($1, 'push', gen_random_uuid(), now() + interval '2 seconds')`,
      [delivery.id],
    );
    expect((await send(delivery)).json).toEqual({ scans: 1, failed: 0 });
    expect(await scansOf(id)).toHaveLength(1);
  });
});

describe('POST /api/webhooks/scm: notifications', () => {
  it('are sent once per monitoring user for new HIGH findings only', async () => {
    const { fullName, made } = await monitored({ '.github/workflows/ci.yml': QUIET });
    const slack_webhook_url = 'https://hooks.slack.com/services/T0/B0/secret-of-a-hook';
    await service.call('PUT /api/notification-settings', {
      as: acme.admin,
      body: { slack_webhook_url, enabled: true },
    });
    await send({ body: pushOf(made.id) });
    await service.host.push(fullName, { files: sloppyFiles() });
    await send({ body: pushOf(made.id) });
    await expect
      .poll(() => chat.take().map(({ path, text }) => [path, text.includes(fullName)]))
      .toEqual([['/services/T0/B0/secret-of-a-hook', true]]);
    expect(service.log.join('')).not.toContain('secret-of-a-hook');
    await service.call('DELETE /api/notification-settings', { as: acme.admin });
  });
});

describe('POST /api/webhooks/scm: a closed fix pull request', () => {
  const closed = (scmId: number, number: number, merged_at: string | null) =>
    JSON.stringify({
      action: 'closed',
      number,
      repository: { id: scmId },
      pull_request: { merged: merged_at !== null, merged_at, closed_at: '2026-11-20T10:00:00Z' },
    });

  it('is recorded if it is ours', async () => {
    const { id, made } = await monitored();
    await service.database.sql(
      `insert into public.fix_pull_requests (org_id, repo_id, file, number, url, branch, rule_ids, fingerprints)
       select org_id, id, 'ci.yml', n, 'https://example.com', 'fix', '{}', '{}' from public.repositories, generate_series(7, 8) n
       where id = $1`,
      [id],
    );
    const event = 'pull_request';
    expect((await send({ event, body: closed(made.id, 7, '2026-11-20T10:00:00Z') })).json).toEqual({
      reason: 'recorded',
    });
    expect((await send({ event, body: closed(made.id, 8, null) })).json).toEqual({ reason: 'recorded' });
    expect((await send({ event, body: closed(made.id, 9, null) })).json).toEqual({ reason: 'unsupported-event' });
    const rows = await service.database.sql(
      'select number, state from public.fix_pull_requests where repo_id = $1 order by 1',
      [id],
    );
    expect(rows).toEqual([
      { number: 7, state: 'merged' },
      { number: 8, state: 'closed' },
    ]);
  });
});

describe('POST /api/webhooks/scm: an installation', () => {
  const suspendedAt = async (id: number) =>
    (
      await service.database.sql<{ suspended: boolean }>(
        'select suspended_at is not null as suspended from public.installations where installation_id = $1',
        [String(id)],
      )
    ).map(({ suspended }) => suspended);
  const deliver = (action: string, id: number) =>
    send({ event: 'installation', body: JSON.stringify({ action, installation: { id } }) });

  it('that is suspended or no longer suspended is marked in every organization', async () => {
    const { id } = acme.installation;
    const { json } = await service.call('POST /api/orgs', { as: acme.admin, body: { name: 'Suspended' } });
    const query = `?installation_id=${id}&org=${String(json['id'])}`;
    expect((await service.call('GET /api/scm/callback', { as: acme.admin, query })).status).toBe(200);
    const before = await suspendedAt(id);
    expect(before.length).toBeGreaterThan(1);
    expect(new Set(before)).toEqual(new Set([false]));
    expect((await deliver('suspend', id)).json).toEqual({ reason: 'recorded' });
    expect(new Set(await suspendedAt(id))).toEqual(new Set([true]));
    expect((await deliver('unsuspend', id)).json).toEqual({ reason: 'recorded' });
    expect(await suspendedAt(id)).toEqual(before);
  });

  it('is acknowledged if it is unknown, or something else happened to it', async () => {
    const reason = 'unsupported-event';
    expect((await deliver('suspend', 987_654_321)).json).toEqual({ reason });
    for (const action of ['created', 'deleted', 'new_permissions_accepted']) {
      expect((await deliver(action, acme.installation.id)).json).toEqual({ reason });
    }
    expect(new Set(await suspendedAt(acme.installation.id))).toEqual(new Set([false]));
    expect((await send({ event: 'installation', body: '{"action":"suspend"}' })).status).toBe(400);
  });
});

describe('POST /api/webhooks/scm: refusals', () => {
  it.each([
    ['no signature', { signature: null }],
    ['an empty one', { signature: '' }],
    ['one under another secret', { signature: sign('{}', 'another-secret') }],
    ['one of other bytes', { body: '{ }', signature: sign('{}') }],
    ['one in capitals', { signature: sign('{}').toUpperCase() }],
    ['one of the wrong length', { signature: 'sha256=00' }],
  ])('%s: 401, before other checks', async (_, sent) => {
    const { status, json } = await send({ event: '', ...sent });
    expect([status, json['code']]).toEqual([401, 'bad-signature']);
  });

  it.each([
    ['no event', { headers: { 'x-github-event': '' } }],
    ['no delivery id', { headers: { 'x-github-delivery': '' } }],
    ['a body that is no JSON', { body: '{' }],
    ['bytes that are no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['a push without a repository', { body: '{"ref":"refs/heads/main","after":"a"}' }],
    ['a payload of another event', { event: 'pull_request', body: pushOf(1) }],
  ])('%s: 400', async (_, sent) => {
    expect((await send(sent)).status).toBe(400);
  });

  it('form encoding: 415', async () => {
    const { status } = await send({ headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(status).toBe(415);
  });

  it('a body above 25 MB: 413; 24 MB is accepted', async () => {
    expect((await send({ body: Buffer.alloc(25_000_001, 32) })).status).toBe(413);
    const large = pushOf(987_654_321, { padding: 'x'.repeat(24_000_000) });
    expect((await send({ body: large })).json).toMatchObject({ reason: 'unknown-repository' });
  });
});
