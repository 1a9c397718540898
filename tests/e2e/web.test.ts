import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '#lib/errors.ts';
import { PROBLEMS } from '#lib/http/route/problem.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { signToken } from '../support/token.ts';
import { bareWeb, startWeb, type Web } from '../support/web.ts';

let database: TestDatabase;
let host: CodeHostForTests;
let web: Web;
let bare: Web;

beforeAll(async () => {
  [database, host] = await Promise.all([startDatabase(), startCodeHost()]);
  await host.addRepository({
    fullName: 'octo/web',
    files: {
      '.github/workflows/ci.yml':
        'on: issue_comment\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "${{ github.event.comment.body }}"\n',
    },
  });
  [web, bare] = await Promise.all([
    startWeb({
      SUPABASE_URL: database.url,
      SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
      SUPABASE_SECRET_KEY: database.secretKey,
      SUPABASE_JWT_SECRET: database.jwtSecret,
      SCM_WEB_URL: host.webUrl,
      SCM_API_URL: host.apiUrl,
      SCM_GRAPHQL_URL: host.graphqlUrl,
      SCM_PUBLIC_TOKEN: host.publicToken,
      WEB_URL: 'https://chainbreak.example',
      WEB_HOSTS: 'spare.example:8443',
    }),
    bareWeb(),
  ]);
}, 120_000);

afterAll(async () => {
  await Promise.all([web?.stop(), bare?.stop()]);
  await Promise.all([host?.stop(), database?.stop()]);
});

async function raw(
  request: string,
  headers: readonly string[] = ['Host: own', 'Connection: close'],
): Promise<{ status: number; headers: Headers; body: string }> {
  const socket = connect(Number(new URL(web.url).port), '127.0.0.1');
  const sent = headers.map((line) => (line === 'Host: own' ? `Host: ${new URL(web.url).host}` : line));
  socket.write(`${[request, ...sent].join('\r\n')}\r\n\r\n`);
  const answer = await textOf(socket);
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const answered = new Headers(
    lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ').slice(1).join(': ')]),
  );
  return { status: Number(status.split(' ')[1]), headers: answered, body: body.join('\r\n\r\n') };
}

const scan = (headers: Record<string, string> = {}, repo = 'octo/web') =>
  fetch(`${web.url}/api/public-scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ repo }),
  });

describe('every response has an id', () => {
  it.each([
    ['GET /api/health HTTP/1.1', 200],
    ['HEAD /api/health HTTP/1.1', 200],
    ['GET /api/nothing/here HTTP/1.1', 404],
    ['GET /api HTTP/1.1', 404],
    ['GET /api//health HTTP/1.1', 404],
    ['GET /api/public-scan/%E0%A4%A HTTP/1.1', 404],
    ['GET /api/public-scan/%00 HTTP/1.1', 404],
    ['POST /api/health HTTP/1.1', 405],
    ['OPTIONS /api/health HTTP/1.1', 204],
    ['TRACE /api/health HTTP/1.1', 405],
    ['TRACE /api/nothing HTTP/1.1', 404],
    ['PROPFIND /api/public-scan HTTP/1.1', 405],
    ['GET /api/badge/a/b.svg HTTP/1.1', 200],
    ['GET /api/badge/%FF/%00.svg?label=%00 HTTP/1.1', 200],
    ['GET /api/rules HTTP/1.1', 401],
    ['PUT /api/rule-overrides:batch HTTP/1.1', 415],
    ['PUT /api/rule-overrides:batch?org=x HTTP/1.1', 415],
    ['PUT /api/rule-overrides%3Abatch HTTP/1.1', 415],
    ['PUT /api/rule-overrides%3abatch HTTP/1.1', 415],
    ['GET /api/rule-overrides:batch HTTP/1.1', 405],
    ['PUT /api/rule-overrides/batch HTTP/1.1', 404],
    ['PUT /api/rule-overrides/b%61tch HTTP/1.1', 404],
    ['PUT /api/rule-overrides/batch/ HTTP/1.1', 404],
    ['PUT /api/rule-overrides:batches HTTP/1.1', 404],
    ['PUT /api/findings/status:batch HTTP/1.1', 415],
    ['PUT /api/findings/status:batch?org=x HTTP/1.1', 415],
    ['PUT /api/findings/status%3Abatch HTTP/1.1', 415],
    ['PUT /api/findings/status%3abatch HTTP/1.1', 415],
    ['GET /api/findings/status:batch HTTP/1.1', 405],
    ['PUT /api/findings/status/batch HTTP/1.1', 404],
    ['PUT /api/findings/status/b%61tch HTTP/1.1', 404],
    ['PUT /api/findings/status/batch/ HTTP/1.1', 404],
    ['PUT /api/findings/status:batches HTTP/1.1', 404],
    ['GET / HTTP/1.1', 200],
    ['GET /problems/ HTTP/1.1', 200],
    ['GET //problems HTTP/1.1', 404],
    ['GET /nothing HTTP/1.1', 404],
    ['GET /%E0%A4%A HTTP/1.1', 404],
    ['POST / HTTP/1.1', 405],
    ['GET /scan HTTP/1.1', 303],
    ['PROPFIND /scan HTTP/1.1', 405],
    ['GET /s/nothing HTTP/1.1', 404],
    ['POST /s/nothing HTTP/1.1', 405],
    ['TRACE / HTTP/1.1', 405],
    ['GET /_next/static/nothing.js HTTP/1.1', 404],
    ['GET /openapi.json HTTP/1.1', 200],
    ['HEAD / HTTP/1.1', 200],
    ['HEAD /nothing HTTP/1.1', 404],
    ['HEAD /api/nothing HTTP/1.1', 404],
    ['HEAD /api/public-scan HTTP/1.1', 405],
    ['HEAD /_next/static/nothing.js HTTP/1.1', 404],
    ['OPTIONS * HTTP/1.1', 405],
    ['GET /_next/image?url=http://elsewhere.example/x&w=64&q=75 HTTP/1.1', 400],
    ['GET http://elsewhere.example/api/health HTTP/1.1', 200],
    ['GET http://[::not-an-address/api/health HTTP/1.1', 404],
    [`GET /${'a'.repeat(20_000)} HTTP/1.1`, 431],
    ['an invalid request', 400],
  ])('%s', async (request, expected) => {
    const { status, headers, body } = await raw(request);
    expect([status, headers.get('x-request-id')]).toEqual([expected, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const named = request.includes(' /api') && status >= 400 && !request.startsWith('HEAD');
    if (named) expect(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).toMatchObject({ status });
    if (status === 405) expect(headers.get('allow')).toMatch(/^(?:GET|POST|PUT)/);
  });

  it.each([
    ['without a host', [], 400],
    ['that expects what nobody knows', ['Host: own', 'Expect: miracles'], 417],
    [
      'that would rather speak another protocol',
      ['Host: own', 'Connection: Upgrade, close', 'Upgrade: websocket'],
      200,
    ],
    ['of the framework for a page that it redirects', ['Host: own', 'RSC: 1', 'Next-Router-Prefetch: 1'], 307],
  ])('a request %s', async (_, headers, expected) => {
    const sent = await raw('GET /problems HTTP/1.1', [...headers, 'Connection: close']);
    expect([sent.status, sent.headers.get('x-request-id')]).toEqual([
      expected,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
  });

  it('keeps its query if the address contains a host', async () => {
    const { body } = await raw('GET http://elsewhere.example/api/badge/a/b?label=seen HTTP/1.1');
    expect(body).toContain('seen: not scanned');
  });

  it('which a trusted proxy may set, on pages and in the API', async () => {
    for (const path of ['/', '/api/health', '/api/nothing', '/_next/static/x']) {
      const { headers } = await fetch(`${web.url}${path}`, { headers: { 'x-request-id': 'from:the-proxy.1' } });
      expect(headers.get('x-request-id'), path).toBe('from:the-proxy.1');
    }
  });
});

describe('a request for another host', () => {
  it.each([
    'GET / HTTP/1.1',
    'GET /setup HTTP/1.1',
    'GET /api/health HTTP/1.1',
    'POST /scan HTTP/1.1',
    'TRACE / HTTP/1.1',
    'GET /openapi.json HTTP/1.1',
    'GET /_next/static/nothing.js HTTP/1.1',
  ])('is refused: %s', async (request) => {
    for (const host of ['evil.example', `evil.example:${new URL(web.url).port}`, '127.0.0.1', '127.0.0.1:1']) {
      const more = [`Origin: http://${host}`, 'X-Forwarded-Host: 127.0.0.1', 'Connection: close'];
      const { status, headers, body } = await raw(request, [`Host: ${host}`, ...more]);
      expect([host, status, headers.get('x-request-id')]).toEqual([
        host,
        421,
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ]);
      expect(body).not.toContain(database.publishableKey);
    }
  });

  it('is one for this machine, or for a host of WEB_URL or WEB_HOSTS', async () => {
    const { port } = new URL(web.url);
    for (const host of [`localhost:${port}`, `[::1]:${port}`, 'chainbreak.example', 'spare.example:8443']) {
      const { status } = await raw('GET /api/health HTTP/1.1', [`Host: ${host}`, 'Connection: close']);
      expect([host, status]).toEqual([host, 200]);
    }
    expect((await raw('GET /api/health HTTP/1.0', [])).status).toBe(200);
  });
});

describe('headers', () => {
  it.each(['/', '/api/health', '/api/nothing', '/problems/not-found', '/_next/static/x'])(
    'protect %s',
    async (path) => {
      const { headers } = await fetch(`${web.url}${path}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/);
      expect(headers.get('x-powered-by')).toBeNull();
      if (!path.startsWith('/_next')) expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    },
  );
});

describe('pages', () => {
  it('run only their own scripts', async () => {
    const nonces = new Set<string>();
    for (const path of ['/', '/problems', '/problems/rate-limited']) {
      const response = await fetch(`${web.url}${path}`);
      const html = await response.text();
      const nonce = /'nonce-([0-9a-f]{32})'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? 'none';
      nonces.add(nonce);
      const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(scripts.length).toBeGreaterThan(0);
      for (const tag of scripts) expect(tag).toContain(`nonce="${nonce}"`);
      expect(html).not.toMatch(/\son\w+="|style="|javascript:/);
      expect(html).toMatch(/<html lang="en"[^]*<main id="main"[^]*<h1\b/);
    }
    expect(nonces.size).toBe(3);
  });

  it('explain each problem, and nothing else', async () => {
    for (const code of PROBLEM_CODES) {
      const response = await fetch(`${web.url}/problems/${code}`);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(new RegExp(`<h1 class="[^"]*">${PROBLEMS[code].title}</h1>`)),
      ]);
    }
    expect((await fetch(`${web.url}/problems/usage`)).status).toBe(404);
  });
});

describe('the API over HTTP', () => {
  it('scans, replays, and draws', async () => {
    const scanned = (await (await scan()).json()) as { slug: string; counts: { HIGH: number } };
    const replayed = await fetch(`${web.url}/api/public-scan/${scanned.slug}`);
    expect(await replayed.json()).toEqual({ ...scanned, cached: true });
    expect(replayed.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
    expect(replayed.headers.get('access-control-allow-origin')).toBe('*');
    const badge = await fetch(`${web.url}/api/badge/octo/web.svg?style=plastic`);
    expect([badge.headers.get('content-type'), await badge.text()]).toEqual([
      'image/svg+xml',
      expect.stringContaining(`${scanned.counts.HIGH} high`),
    ]);
  });

  it('counts by socket: headers cannot fake another visitor', async () => {
    await database.sql('delete from public.rate_limits');
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      const address = `198.51.100.${n}`;
      const headers = {
        'x-forwarded-for': address,
        'x-real-ip': address,
        'x-chainbreak-peer': address,
        forwarded: `for=${address}`,
      };
      statuses.push((await scan(headers)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('refuses a body that is too large, announced or in chunks', async () => {
    const large = new Uint8Array(2 * 1024 * 1024).fill(32);
    for (const body of [large, new Blob([large]).stream()]) {
      const response = await fetch(`${web.url}/api/public-scan`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        duplex: 'half',
      });
      expect(response.status).toBe(413);
    }
  });

  it.each(['/api/rule-overrides:batch', '/api/rule-overrides%3Abatch'])(
    'applies a batch of rules at %s',
    async (path) => {
      const headers = {
        authorization: `Bearer ${signToken(database.jwtSecret, randomUUID())}`,
        'content-type': 'application/json',
      };
      const changes = [{ rule_id: 'artipacked', repository_id: null, value: 'disabled' }];
      const body = JSON.stringify({ changes });
      const applied = await fetch(`${web.url}${path}`, { method: 'PUT', headers, body });
      expect([applied.status, await applied.json()]).toEqual([200, { applied: 1 }]);
      const settings = await fetch(`${web.url}/api/rule-settings`, { headers });
      expect(await settings.json()).toMatchObject({ settings: [{ rule_id: 'artipacked', enabled: false }] });
      const elsewhere = await fetch(`${web.url}${path}?org=${randomUUID()}`, { method: 'PUT', headers, body });
      expect(elsewhere.status).toBe(403);
    },
  );

  it('returns features and rules to a signed-in user', async () => {
    const headers = {
      authorization: `Bearer ${signToken(database.jwtSecret, '11111111-1111-1111-1111-111111111111')}`,
    };
    const capabilities = await fetch(`${web.url}/api/capabilities`, { headers });
    expect(await capabilities.json()).toEqual({
      pr_webhooks: false,
      pr_checks: false,
      public_scan: true,
      scm_app: false,
      notifications: true,
      cron: false,
      shared_rate_limit: false,
      demo: false,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    const { rules } = (await (await fetch(`${web.url}/api/rules`, { headers })).json()) as {
      rules: { id: string; doc_url: string }[];
    };
    expect(rules.length).toBeGreaterThan(1);
    for (const { id, doc_url } of rules) expect(doc_url).toBe(`/rules/${id}`);
  });
});

describe('configuration', () => {
  it('that is missing disables what needs it, with 503 before other checks', async () => {
    const off: [string, RequestInit][] = [
      ['/api/public-scan', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['/api/public-scan/some-slug-or-other', {}],
      ['/api/public-stats', {}],
      ['/api/rules', { headers: { authorization: 'Bearer nobody' } }],
    ];
    for (const [path, init] of off) {
      const response = await fetch(`${bare.url}${path}`, init);
      expect([response.status, await response.json()], path).toEqual([
        503,
        expect.objectContaining({ code: 'not-configured' }),
      ]);
      expect(response.headers.get('retry-after')).toBeNull();
    }
    const form = await fetch(`${bare.url}/scan`, {
      method: 'POST',
      body: new URLSearchParams({ repo: 'octo/web' }),
      redirect: 'manual',
    });
    expect([form.status, form.headers.get('location')]).toEqual([303, '/?problem=not-configured']);
    expect((await fetch(`${bare.url}/s/some-slug-or-other`)).status).toBe(404);
    expect((await fetch(`${bare.url}/api/health`)).status).toBe(200);
    expect((await fetch(`${bare.url}/api/badge/a/b`)).status).toBe(200);
  });

  it('that is invalid stops the start and is named', async () => {
    await expect(startWeb({ SUPABASE_JWT_SECRET: 'short-but-secret' })).rejects.toThrow(
      /SUPABASE_JWT_SECRET must be at least 32 characters/,
    );
  });
});

describe('logs', () => {
  it('are JSON lines without credentials', async () => {
    const token = signToken(database.jwtSecret, '11111111-1111-1111-1111-111111111111');
    await fetch(`${web.url}/api/rules`, { headers: { authorization: `Bearer ${token}` } });
    const lines = web
      .output()
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), request_id: expect.any(String) });
    for (const secret of [token, database.secretKey, database.jwtSecret, host.publicToken])
      expect(web.output()).not.toContain(secret);
  });
});
