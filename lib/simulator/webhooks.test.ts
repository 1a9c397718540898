import { createHmac, createSign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { schemas } from '@octokit/openapi-webhooks';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const received: Received[] = [];
let status = 202;
let receiver: Server;
let host: CodeHostForTests;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  host = await startCodeHost({
    webhookUrl: `http://127.0.0.1:${port}/hook`,
    async seed(world) {
      const team = world.addAccount({ login: 'team', type: 'Organization' });
      const other = world.addAccount({ login: 'other', type: 'Organization' });
      world.addMember(team, world.addAccount({ login: 'ada', type: 'User' }), 'admin');
      await world.addRepository({ fullName: 'team/web', files: { 'a.txt': 'Größe' } });
      await world.addRepository({ fullName: 'other/web' });
      const permissions = { metadata: 'read', pull_requests: 'write', checks: 'write', contents: 'write' };
      world.addInstallation({ id: 900, accountId: team.id, permissions });
      world.addInstallation({ id: 901, accountId: team.id, permissions, suspendedAt: '2026-10-01T00:00:00.000Z' });
      world.addInstallation({ id: 902, accountId: other.id, permissions, repositoryIds: [] });
    },
  });
});

afterAll(async () => {
  receiver.close();
  await host.stop();
});

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
ajv.addSchema({ $id: 'hooks', components: schemas['api.github.com']['components'] });

function problemsOf(schema: string, payload: unknown): unknown[] {
  const check = ajv.compile({ $ref: `hooks#/components/schemas/${schema}` });
  check(payload);
  return check.errors ?? [];
}

function takeEvents(): { readonly event: unknown; readonly payload: Record<string, unknown> }[] {
  return received.splice(0).map(({ headers, body }) => ({
    event: headers['x-github-event'],
    payload: JSON.parse(body.toString('utf8')) as Record<string, unknown>,
  }));
}

it('delivers a push to each installation that sees the repository, signed over its exact bytes', async () => {
  const { before, after, deliveries } = await host.push('team/web', {
    files: { 'a.txt': 'größer' },
    message: 'Größer',
  });
  expect(deliveries).toMatchObject([{ event: 'push', statusCode: 202, installationId: 900, redelivery: false }]);
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }, ...more] = received.splice(0);
  expect(more).toEqual([]);
  const signature = createHmac('sha256', host.app.webhookSecret).update(body).digest('hex');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': deliveries[0]?.guid,
    'x-hub-signature-256': `sha256=${signature}`,
  });
  const payload = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  expect(payload).toMatchObject({ ref: 'refs/heads/main', before, after, installation: { id: 900 } });
  expect(problemsOf('webhook-push', payload)).toEqual([]);
  expect((await host.push('other/web', { files: { a: 'a' } })).deliveries).toEqual([]);
  expect(received).toEqual([]);
});

it('reports a created branch, and the branch of a push', async () => {
  await host.addRepository({ fullName: 'team/new' });
  await host.push('team/new', { files: { a: 'a' }, branch: 'feature/x' });
  const [{ body } = { body: Buffer.alloc(0) }] = received.splice(0);
  expect(JSON.parse(body.toString('utf8'))).toMatchObject({
    ref: 'refs/heads/feature/x',
    before: '0'.repeat(40),
    created: true,
    repository: { default_branch: 'main' },
  });
});

it('keeps a failed delivery, and resends the same bytes under the same id on request', async () => {
  status = 500;
  const { deliveries } = await host.push('team/web', { files: { b: 'b' } });
  status = 302;
  const now = Math.floor(Date.now() / 1000);
  const text = [{ alg: 'RS256' }, { iat: now - 30, exp: now + 500, iss: host.app.id }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const token = `${text}.${createSign('sha256').update(text).sign(host.app.privateKey, 'base64url')}`;
  const headers = { authorization: `Bearer ${token}` };
  const path = `${host.apiUrl}/app/hook/deliveries`;
  const listed = (await (await fetch(path, { headers })).json()) as { id: number; guid: string; status_code: number }[];
  expect(listed[0]).toMatchObject({ guid: deliveries[0]?.guid, status_code: 500 });
  const again = await fetch(`${path}/${listed[0]?.id}/attempts`, { method: 'POST', headers });
  expect(again.status).toBe(202);
  await expect
    .poll(() => host.deliveries.at(-1))
    .toMatchObject({ guid: deliveries[0]?.guid, redelivery: true, statusCode: 302 });
  const [first, second] = received.splice(0);
  expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  expect((await fetch(`${path}/1/attempts`, { method: 'POST', headers })).status).toBe(404);
  expect((await fetch(path)).status).toBe(401);
});

it('tells what happens to a pull request, in the shapes that GitHub publishes', async () => {
  status = 202;
  await host.addRepository({ fullName: 'team/pulls', files: { 'a.txt': 'a' } });
  const { after: first } = await host.push('team/pulls', { branch: 'fix/a', files: { b: 'b' }, keepOthers: true });
  takeEvents();
  await host.people.open('team/pulls', { title: 'Fix', head: 'fix/a', by: 'ada' });
  await expect.poll(() => received.length).toBe(1);
  const [opened] = takeEvents();
  expect(opened).toMatchObject({
    event: 'pull_request',
    payload: { action: 'opened', number: 1, pull_request: { head: { sha: first }, user: { login: 'ada' } } },
  });
  expect(problemsOf('webhook-pull-request-opened', opened?.payload)).toEqual([]);

  const pushedAgain = await host.push('team/pulls', { branch: 'fix/a', files: { c: 'c' }, keepOthers: true });
  const { after, deliveries } = pushedAgain;
  expect(deliveries.map(({ event, action }) => [event, action])).toEqual([
    ['push', null],
    ['pull_request', 'synchronize'],
  ]);
  const [pushed, synchronized] = takeEvents();
  expect([pushed?.event, synchronized?.event]).toEqual(['push', 'pull_request']);
  expect(synchronized?.payload).toMatchObject({ action: 'synchronize', before: first, after });
  expect(problemsOf('webhook-pull-request-synchronize', synchronized?.payload)).toEqual([]);

  await host.people.close('team/pulls', 1);
  await host.people.reopen('team/pulls', 1);
  const [closed, reopened] = takeEvents();
  expect(closed?.payload).toMatchObject({ action: 'closed', pull_request: { merged: false, merged_at: null } });
  expect(reopened?.payload).toMatchObject({ action: 'reopened', pull_request: { state: 'open' } });
  expect(problemsOf('webhook-pull-request-reopened', reopened?.payload)).toEqual([]);

  await host.people.merge('team/pulls', 1, { by: 'ada', deleteBranch: true });
  const [merged, base, deleted] = takeEvents();
  expect(merged?.payload).toMatchObject({
    action: 'closed',
    pull_request: { merged: true, merged_by: { login: 'ada' }, merge_commit_sha: expect.any(String) },
  });
  expect(problemsOf('webhook-pull-request-closed', merged?.payload)).toEqual([]);
  expect(base).toMatchObject({ event: 'push', payload: { ref: 'refs/heads/main' } });
  expect(deleted).toMatchObject({ event: 'push', payload: { deleted: true, after: '0'.repeat(40) } });
});

it('asks for a check run, or all of a commit, again', async () => {
  const head = (await host.push('team/pulls', { files: { d: 'd' }, keepOthers: true })).after;
  const repository = host.world.repository('team/pulls');
  if (repository === undefined) throw new Error('The repository is missing.');
  const { id } = host.world.addCheckRun(repository, {
    headOid: head,
    name: 'chainbreak',
    status: 'completed',
    conclusion: 'success',
    externalId: '',
    detailsUrl: null,
    startedAt: '2026-11-01T00:00:00Z',
    completedAt: '2026-11-01T00:00:01Z',
    title: null,
    summary: null,
    text: null,
    annotations: [],
  });
  takeEvents();
  await host.people.rerequest('team/pulls', id);
  const [run] = takeEvents();
  expect(run).toMatchObject({
    event: 'check_run',
    payload: { action: 'rerequested', check_run: { id, head_sha: head } },
  });
  expect(problemsOf('webhook-check-run-rerequested', run?.payload)).toEqual([]);
  const sent = await fetch(`${host.webUrl}/_sim/rerequest`, {
    method: 'POST',
    body: JSON.stringify({ repository: 'team/pulls', check_run: id, suite: true }),
  });
  expect(sent.status).toBe(201);
  const [suite] = takeEvents();
  expect(suite).toMatchObject({
    event: 'check_suite',
    payload: { action: 'rerequested', check_suite: { head_sha: head } },
  });
  expect(problemsOf('webhook-check-suite-rerequested', suite?.payload)).toEqual([]);
});
