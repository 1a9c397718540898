import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import type { Handlers } from '#lib/http/route/respond.ts';
import * as scanRoute from '../../app/api/public-scan/route.ts';
import * as formRoute from '../../app/scan/route.ts';
import { callRoute } from '../support/call-route.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';

const WEB = 'http://chainbreak.example';
const FILES = {
  '.github/workflows/ci.yml': 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n',
};

let database: TestDatabase;
let host: CodeHostForTests;

beforeAll(async () => {
  [database, host] = await Promise.all([emptyDatabase(), startCodeHost()]);
  configure({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
    WEB_URL: WEB,
    WEB_HOSTS: 'spare.example:8443',
  });
  Reflect.set(globalThis, PEER_MARK, true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  for (const name of ['octo/one', 'octo/two', 'octo/three', 'octo/streamed', 'octo/left'])
    await host.addRepository({ fullName: name, files: FILES });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});

beforeEach(async () => {
  await database.sql('delete from public.rate_limits');
  await host.log();
});

interface Post {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: keyof Handlers;
}

const LINES = { accept: 'application/x-ndjson' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function post(body: string | undefined, { headers = {}, method = 'POST' }: Post = {}): Promise<Response> {
  const sent = { [PEER_HEADER]: '198.51.100.7', host: new URL(WEB).host, ...FORM, ...headers };
  const request = new Request(`${WEB}/scan`, { method, headers: sent, ...(body === undefined ? {} : { body }) });
  const response = await (formRoute as Handlers)[method](request, { params: Promise.resolve({}) });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  return response;
}

async function locationOf(body: string, options: Post = {}): Promise<string> {
  const response = await post(body, options);
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
}

const eventsOf = async (response: Response) =>
  (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const counted = async () => (await database.sql('select key from public.rate_limits')).length;

describe('the form without JavaScript', () => {
  it('redirects to the API’s report', async () => {
    const location = await locationOf('repo=octo%2Fone');
    const { json } = await callRoute(scanRoute, {
      method: 'POST',
      body: { repo: 'octo/one' },
      headers: { [PEER_HEADER]: '198.51.100.7' },
    });
    expect([location, json['cached']]).toEqual([`/s/${String(json['slug'])}`, true]);
  });

  it('prefers the pressed button’s repository over the field’s', async () => {
    const [one, two] = [await locationOf('repo=octo%2Fone'), await locationOf('repo=octo%2Ftwo')];
    expect(await locationOf('repo=octo%2Fone&repo=octo%2Ftwo')).toBe(two);
    expect(await locationOf('repo=octo%2Fone&repo=+&repo=')).toBe(one);
  });

  it('accepts as much text as the API', async () => {
    const long = `${host.webUrl}/octo/one?${'x'.repeat(500)}`;
    const { status } = await callRoute(scanRoute, { method: 'POST', body: { repo: long } });
    const location = await locationOf(new URLSearchParams({ repo: long }).toString());
    expect([status, location.slice(0, 32), location.length < 700]).toEqual([
      400,
      '/?problem=validation-failed&repo',
      true,
    ]);
  });

  it.each([
    ['repo=elsewhere.example%2Fa%2Fb', '/?problem=validation-failed&repo=elsewhere.example%2Fa%2Fb'],
    ['repo=', '/?problem=validation-failed'],
    ['', '/?problem=validation-failed'],
    ['repo=a%2F%00', '/?problem=validation-failed&repo=a%2F%00'],
    ['repo=octo%2Fmissing', '/?problem=not-found&repo=octo%2Fmissing'],
  ])('redirects %s back with the reason', async (body, location) => {
    expect(await locationOf(body)).toBe(location);
  });
});

describe('the form with JavaScript', () => {
  it('streams each step as it starts, and the report’s URL', async () => {
    const first = await post('repo=octo%2Fstreamed', { headers: LINES });
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const events = await eventsOf(first);
    expect(events).toEqual([
      { step: 'reading' },
      { step: 'scanning', workflow_files: 1 },
      { step: 'done', location: expect.stringMatching(/^\/s\/[\w-]{22}$/) },
    ]);
    expect(await eventsOf(await post('repo=octo%2Fstreamed', { headers: LINES }))).toEqual([events[2]]);
  });

  it('reports a later failure, with the request id', async () => {
    const response = await post('repo=octo%2Fmissing', { headers: LINES });
    const requestId = response.headers.get('x-request-id');
    expect(await eventsOf(response)).toEqual([
      { step: 'reading' },
      { step: 'failed', code: 'not-found', request_id: requestId },
    ]);
  });

  it('continues for others after one visitor leaves', async () => {
    const response = await post('repo=octo%2Fleft', { headers: LINES });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect
      .poll(async () => (await eventsOf(await post('repo=octo%2Fleft', { headers: LINES }))).at(-1))
      .toMatchObject({ step: 'done' });
    expect(await host.log()).toHaveLength(1);
  });

  it('is refused with a problem before the scan starts', async () => {
    const refused = async (body: string, headers: Record<string, string>) => {
      const response = await post(body, { headers: { ...LINES, ...headers } });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await refused('{}', { 'content-type': 'application/json' })).toEqual([415, 'unsupported-media-type']);
    expect(await refused(`repo=${'x'.repeat(9_000)}`, {})).toEqual([413, 'payload-too-large']);
    expect(await refused('repo=octo%2Fone', { 'sec-fetch-site': 'cross-site' })).toEqual([403, 'forbidden']);
    expect(await counted()).toBe(0);
  });
});

describe('the rate limit', () => {
  it('is the API’s: five a minute per address, for both', async () => {
    const api = (address: string) =>
      callRoute(scanRoute, { method: 'POST', body: { repo: 'octo/one' }, headers: { [PEER_HEADER]: address } });
    await locationOf('repo=octo%2Fone');
    await locationOf('repo=nothing');
    await post('repo=octo%2Fone', { headers: LINES });
    expect([(await api('198.51.100.7')).status, (await api('198.51.100.7')).status]).toEqual([200, 200]);
    expect(await locationOf('repo=octo%2Fone')).toMatch(/^\/\?problem=rate-limited&repo=octo%2Fone&wait=\d+$/);
    const streamed = await post('repo=octo%2Fone', { headers: LINES });
    expect([streamed.status, Number(streamed.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect((await api('198.51.100.7')).status).toBe(429);
    expect((await api('203.0.113.9')).status).toBe(200);
  });
});

describe('a form on another site', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://other.chainbreak.example' },
    { origin: 'https://elsewhere.example' },
    { origin: 'http://chainbreak.example.elsewhere.example' },
    { origin: 'null' },
    { origin: 'http://evil.example', host: 'evil.example' },
    { origin: 'http://127.0.0.1:4001', host: 'evil.example' },
    { origin: 'http://192.0.2.7:3000', host: '192.0.2.8:3000' },
  ])('is refused without counting: %o', async (headers) => {
    expect(await locationOf('repo=octo%2Fone', { headers })).toBe('/?problem=forbidden&repo=octo%2Fone');
    expect([await counted(), await host.log()]).toEqual([0, []]);
  });

  it.each([
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: WEB },
    { origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' },
    { origin: 'http://localhost:3000', host: 'localhost:3000' },
    { origin: 'https://spare.example:8443', host: 'inner.example' },
  ])('is not assumed for: %o', async (headers) => {
    expect(await locationOf('repo=octo%2Fone', { headers })).toMatch(/^\/s\//);
  });
});

describe('other methods', () => {
  it('redirect to the start page or are refused', async () => {
    const get = await post(undefined, { method: 'GET' });
    expect([get.status, get.headers.get('location')]).toEqual([303, '/']);
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const { status, headers } = await post(undefined, { method });
      expect([status, headers.get('allow')], method).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    }
    expect((await post(undefined, { method: 'OPTIONS' })).status).toBe(204);
  });
});

// Last, since the process then backs off from the code host.
describe('a code host that asks to wait', () => {
  it('is called again after the wait', async () => {
    const effect = { kind: 'secondary-limit', status: 403, retryAfterSeconds: 33 } as const;
    await host.fault({ match: 'POST /api/graphql', effect });
    expect(await locationOf('repo=octo%2Fthree')).toBe('/?problem=scm-unreachable&repo=octo%2Fthree&wait=33');
  });
});
