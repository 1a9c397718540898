import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AppError, PROBLEM_CODES } from '#lib/errors.ts';
import { configure } from '../../../tests/support/environment.ts';
import { signToken } from '../../../tests/support/token.ts';
import { defineOperation } from './operation.ts';
import { PROBLEMS } from './problem.ts';
import type { Handler, Handlers } from './respond.ts';
import { nothingHere, publicEndpoint, route, userEndpoint } from './route.ts';

const SECRET = 'a secret that is long enough for HS256, and then some';
const lines: string[] = [];

beforeAll(() => {
  configure({ SUPABASE_JWT_SECRET: SECRET });
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

afterEach(() => {
  lines.length = 0;
});

const Echo = z.strictObject({ text: z.string().max(10), kind: z.enum(['a', 'b']).optional() });
const base = { summary: '', replyDescription: '', path: '/echo/{id}' };

const readEcho = defineOperation({
  ...base,
  id: 'readEcho',
  verb: 'GET',
  access: 'public',
  params: z.object({ id: z.guid() }),
  query: z.object({ page: z.coerce.number().int().optional() }),
  reply: z.strictObject({ id: z.string() }),
});
const writeEcho = defineOperation({
  ...base,
  id: 'writeEcho',
  verb: 'PUT',
  access: 'user',
  params: z.object({ id: z.guid() }),
  body: Echo,
  reply: z.strictObject({ text: z.string(), user: z.string() }),
});
const removeEcho = defineOperation({
  ...base,
  id: 'removeEcho',
  verb: 'DELETE',
  access: 'user',
  status: 204,
  reply: z.null(),
});

let behaviour: () => unknown = () => undefined;
const echo: Handlers = route([
  publicEndpoint(readEcho, { handle: (_, { params }) => (behaviour(), { body: { id: params.id } }) }),
  userEndpoint(writeEcho, {
    handle: ({ user }, { body }) => ({ body: { text: body.text, user: user.id, ...(behaviour() as object) } }),
  }),
  userEndpoint(removeEcho, { handle: () => ({ body: null }) }),
]);
const ID = '11111111-1111-1111-1111-111111111111';

interface Call {
  readonly method?: keyof Handlers;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream | undefined;
  readonly id?: string;
  readonly query?: string;
}

async function call(handlers: Readonly<Record<string, Handler>>, options: Call = {}) {
  const { method = 'GET', headers = {}, body, id = ID, query = '' } = options;
  const init = { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' as const }) };
  const request = new Request(`http://host/echo/${encodeURIComponent(id)}${query}`, init);
  const response = await (handlers[method] as Handler)(request, { params: Promise.resolve({ id }) });
  const text = await response.text();
  const json = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, json };
}

const bearer = (claims: Readonly<Record<string, unknown>> = {}, sub: string = randomUUID()) => ({
  authorization: `Bearer ${signToken(SECRET, sub, claims)}`,
});
const put = (body: unknown, more: Partial<Call> = {}) =>
  call(echo, {
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
    headers: { 'content-type': 'application/json', ...bearer(), ...more.headers },
  });

describe('every response', () => {
  it.each([
    ['fine', () => call(echo)],
    ['a method that is not there', () => call(echo, { method: 'POST' })],
    ['an address that is not there', () => call(nothingHere(), { method: 'PATCH' })],
    ['a preflight', () => call(echo, { method: 'OPTIONS' })],
    ['refused', () => call(echo, { method: 'DELETE' })],
    ['empty', () => call(echo, { method: 'DELETE', headers: bearer() })],
    [
      'a crash',
      () => (
        (behaviour = () => {
          throw new Error('boom');
        }),
        call(echo)
      ),
    ],
  ])('%s: has an id, which is also in its problem and log line', async (_, run) => {
    const { headers, json, status } = await run();
    behaviour = () => undefined;
    const id = headers.get('x-request-id');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    if (status >= 400)
      expect(json).toMatchObject({ request_id: id, status, type: `/problems/${String(json?.['code'])}` });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ request_id: id });
  });

  it('keeps a harmless id from a proxy, and creates one otherwise', async () => {
    const idOf = async (id: string) =>
      (await call(echo, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idOf('abc.DEF_1:2-3')).toBe('abc.DEF_1:2-3');
    for (const id of ['a b', 'x'.repeat(129), '"}', 'ü']) expect(await idOf(id)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of a crash reveals nothing to the caller and everything to the log', async () => {
    behaviour = () => {
      throw new Error('relation "users" does not exist');
    };
    const { status, json } = await call(echo);
    behaviour = () => undefined;
    expect(status).toBe(500);
    expect(JSON.stringify(json)).not.toContain('relation');
    expect(lines.join('')).toContain('relation');
  });

  it('is withheld if it does not fit its schema', async () => {
    behaviour = () => ({ extra: 'leak' });
    const { status, json } = await put({ text: 'x' });
    behaviour = () => undefined;
    expect(status).toBe(500);
    expect(JSON.stringify(json)).not.toContain('leak');
  });
});

describe('methods', () => {
  it.each(['POST', 'PATCH'] as const)('%s is refused with 405 and the allowed methods', async (method) => {
    const { status, headers, json } = await call(echo, { method });
    expect([status, headers.get('allow'), json?.['code']]).toEqual([
      405,
      'GET, PUT, DELETE, HEAD, OPTIONS',
      'method-not-allowed',
    ]);
  });

  it('HEAD is GET without a body, OPTIONS lists the methods, 204 has no body', async () => {
    const head = await call(echo, { method: 'HEAD' });
    expect([head.status, head.json, head.headers.get('content-type')]).toEqual([200, undefined, 'application/json']);
    expect((await call(echo, { method: 'OPTIONS' })).headers.get('allow')).toContain('GET');
    const removed = await call(echo, { method: 'DELETE', headers: bearer() });
    expect([removed.status, removed.json, removed.headers.get('content-type')]).toEqual([204, undefined, null]);
  });

  it('other sites can read anonymous GETs only', async () => {
    expect((await call(echo)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await call(echo, { id: 'x' })).headers.get('access-control-allow-origin')).toBe('*');
    expect((await put({ text: 'x' })).headers.get('access-control-allow-origin')).toBeNull();
    expect((await call(nothingHere())).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the order of checks', () => {
  const wrong = { 'content-type': 'text/plain', authorization: 'Bearer nobody' };
  const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });

  it('is media type, size, identity, shape, address', async () => {
    expect((await put(large, { headers: wrong })).status).toBe(415);
    expect((await put(large, { headers: { authorization: 'Bearer nobody' } })).status).toBe(413);
    expect((await put('{', { headers: { authorization: 'Bearer nobody' } })).status).toBe(401);
    expect((await put('{', { id: 'no-uuid' })).status).toBe(400);
    expect((await put({ text: 'x' }, { id: 'no-uuid' })).status).toBe(404);
  });

  it('counts a request after identity and before shape', async () => {
    const headers = bearer();
    for (let n = 0; n < 120; n += 1) expect((await put('{', { headers })).status).toBe(400);
    const { status, headers: sent, json } = await put('{', { headers });
    expect([status, json?.['code']]).toEqual([429, 'rate-limited']);
    expect(Number(sent.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(sent.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await put({ text: 'x' })).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/problem+json', 415],
    ['text/plain', 415],
    ['', 415],
  ])('of type %s is answered %i', async (type, expected) => {
    expect((await put({ text: 'x' }, { headers: { 'content-type': type } })).status).toBe(expected);
  });

  it.each([
    ['{', 'invalid-json'],
    ['', 'invalid-json'],
    [new Uint8Array([0x22, 0xff, 0x22]), 'invalid-json'],
    ['null', 'validation-failed'],
    ['[]', 'validation-failed'],
    ['{}', 'validation-failed'],
    ['{"text":1}', 'validation-failed'],
    ['{"text":"x","more":1}', 'validation-failed'],
    ['{"text":"x","__proto__":{}}', 'validation-failed'],
    ['{"text":"x","kind":"c"}', 'validation-failed'],
    ['{"text":"a\\u0000"}', 'validation-failed'],
    ['{"text":"\\ud800"}', 'validation-failed'],
    ['{"text":"x","a\\u0000":1}', 'validation-failed'],
    [`{"text":"x","deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'validation-failed'],
  ])('%.60s is refused as %s', async (body, code) => {
    const { status, json } = await call(echo, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json', ...bearer() },
    });
    expect([status, json?.['code']]).toEqual([400, code]);
    if (code === 'validation-failed')
      expect(json?.['errors']).toContainEqual({ path: expect.any(String), message: expect.any(String) });
  });

  it('without an announced length is cut off at the limit', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
        if (sent > 64 * 1024 * 1024) controller.close();
      },
    });
    const headers = { 'content-type': 'application/json', ...bearer() };
    expect((await call(echo, { method: 'PUT', body, headers })).status).toBe(413);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });

  it('of exactly the limit is accepted', async () => {
    const text = JSON.stringify({ text: 'x' });
    expect((await put(text.padEnd(1024 * 1024))).status).toBe(200);
    expect((await put(text.padEnd(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('addresses and queries', () => {
  it.each(['no-uuid', '', 'a\u0000b', `${ID}x`])('%j is not found', async (id) => {
    expect((await call(echo, { id })).status).toBe(404);
  });

  it('refuses an invalid query and ignores unknown parameters', async () => {
    expect((await call(echo, { query: '?page=x' })).json?.['code']).toBe('validation-failed');
    expect((await call(echo, { query: '?page=%00' })).json?.['code']).toBe('validation-failed');
    expect((await call(echo, { query: '?page=2&utm=x' })).status).toBe(200);
  });
});

describe('a bearer token', () => {
  const sub = randomUUID();
  const key = new TextEncoder().encode(SECRET);
  const token = (claims: Record<string, unknown>, header = { alg: 'HS256' }) =>
    new SignJWT({ sub, exp: Math.floor(Date.now() / 1000) + 60, ...claims }).setProtectedHeader(header).sign(key);
  const withToken = async (value: string) => put({ text: 'x' }, { headers: { authorization: value } });

  it.each([{}, { aud: 'authenticated' }, { role: 'authenticated' }, { is_anonymous: false }, { email: null }])(
    'with %o is accepted',
    async (claims) => {
      const { status, json } = await withToken(`Bearer ${await token(claims)}`);
      expect([status, json?.['user']]).toEqual([200, sub]);
      expect((await withToken(`bearer ${await token(claims)}`)).status).toBe(200);
    },
  );

  it('of the previous secret is accepted until that is removed, with the same checks', async () => {
    const [good, anonymous] = [await token({}), await token({ is_anonymous: true })];
    const replaced = { SUPABASE_JWT_SECRET: 'y'.repeat(40) };
    try {
      configure({ ...replaced, SUPABASE_JWT_SECRET_PREVIOUS: SECRET });
      expect((await withToken(`Bearer ${good}`)).status).toBe(200);
      expect((await withToken(`Bearer ${anonymous}`)).status).toBe(401);
      configure(replaced);
      expect((await withToken(`Bearer ${good}`)).status).toBe(401);
    } finally {
      configure({ SUPABASE_JWT_SECRET: SECRET });
    }
  });

  it.each([
    { sub: 'somebody' },
    { sub: undefined },
    { exp: undefined },
    { exp: Math.floor(Date.now() / 1000) - 1 },
    { nbf: Math.floor(Date.now() / 1000) + 600 },
    { aud: 'other' },
    { aud: ['other'] },
    { role: 'anon' },
    { role: 'service_role' },
    { role: 'supabase_admin' },
    { is_anonymous: true },
    { email: 'a\0@example.com' },
    { email: '\ud800@example.com' },
  ])('with %o is refused', async (claims) => {
    const { status, headers, json } = await withToken(`Bearer ${await token(claims)}`);
    expect([status, headers.get('www-authenticate'), json?.['code']]).toEqual([401, 'Bearer', 'unauthenticated']);
  });

  it('gets the same refusal if unsigned, badly signed or malformed', async () => {
    const good = await token({});
    const [head = '', payload = '', signature = ''] = good.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const rs256 = Buffer.from('{"alg":"RS256"}').toString('base64url');
    const other = await new SignJWT({ sub })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.alloc(32));
    const answers = new Set<string>();
    for (const value of [
      '',
      'Bearer',
      `Basic ${good}`,
      good,
      `Bearer ${none}.${payload}.`,
      `Bearer ${none}.${payload}.${signature}`,
      `Bearer ${rs256}.${payload}.${signature}`,
      `Bearer ${head}.${payload}.${signature.slice(0, -2)}`,
      `Bearer ${head}.${payload}`,
      `Bearer ${other}`,
      `Bearer ${await token({}, { alg: 'HS512' })}`,
      `Bearer ${good}, Bearer ${good}`,
    ]) {
      const { status, json } = await withToken(value);
      expect(status, value).toBe(401);
      answers.add(JSON.stringify({ ...json, request_id: '' }));
    }
    expect(answers.size).toBe(1);
  });

  it('is never logged', async () => {
    const value = await token({});
    await withToken(`Bearer ${value}`);
    await withToken(`Bearer ${value}x`);
    expect(lines.join('')).not.toContain(value.slice(0, 30));
  });
});

describe('the table of problems', () => {
  it('has a status and a page for each code', () => {
    expect(Object.keys(PROBLEMS)).toEqual([...PROBLEM_CODES]);
    for (const { status, title, explanation } of Object.values(PROBLEMS)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(title).toMatch(/[^.]$/);
      expect(explanation).toMatch(/\.$/);
    }
  });

  it('reports the wait in whole seconds, at least one', async () => {
    behaviour = () => {
      throw new AppError('scm-unreachable', 'Slow down.', {
        retryAfterSeconds: 0.2,
        cause: new Error('upstream body'),
      });
    };
    const { status, headers, json } = await call(echo);
    behaviour = () => undefined;
    expect([status, headers.get('retry-after'), json?.['detail']]).toEqual([502, '1', 'Slow down.']);
    expect(JSON.stringify(json)).not.toContain('upstream');
  });
});
