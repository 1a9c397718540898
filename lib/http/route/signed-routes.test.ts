import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { callRoute } from '../../../tests/support/call-route.ts';
import { configure } from '../../../tests/support/environment.ts';
import { cronEndpoint } from './cron-route.ts';
import { defineOperation } from './operation.ts';
import { route } from './route.ts';
import { webhookEndpoint } from './webhook-route.ts';

const CRON = 'the-secret-of-the-scheduler';
const SECRET = 'the-secret-of-the-webhook';
const base = { path: '/x', summary: '', replyDescription: '' };

const cron = route([
  cronEndpoint(
    defineOperation({ ...base, id: 'cron', verb: 'GET', access: 'cron', reply: z.strictObject({ done: z.int() }) }),
    { handle: () => Promise.resolve({ body: { done: 1 } }) },
  ),
]);
const hook = route([
  webhookEndpoint(
    defineOperation({
      ...base,
      id: 'hook',
      verb: 'POST',
      access: 'webhook',
      reply: z.strictObject({ event: z.string(), id: z.string() }),
    }),
    { handle: (_, { event, id }) => Promise.resolve({ body: { event, id } }) },
  ),
]);

beforeAll(() => {
  configure({ CRON_SECRET: CRON, SCM_WEBHOOK_SECRET: SECRET });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => vi.restoreAllMocks());

describe('a scheduler’s request', () => {
  it.each([
    [`Bearer ${CRON}`, 200],
    [`bearer ${CRON}`, 200],
    [`Bearer ${CRON}x`, 401],
    [`Bearer ${CRON.slice(1)}`, 401],
    ['Bearer', 401],
    ['', 401],
    [CRON, 401],
  ])('with %s is answered %i', async (authorization, expected) => {
    expect((await callRoute(cron, { headers: { authorization } })).status).toBe(expected);
  });
});

describe('a delivery', () => {
  const sign = (text: string | Uint8Array, secret = SECRET) =>
    `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const deliver = async (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) => {
    const all = {
      'content-type': 'application/json',
      'x-hub-signature-256': sign(body),
      'x-github-event': 'push',
      'x-github-delivery': 'a-1',
      ...headers,
    };
    const request = new Request('http://host/x', { method: 'POST', body: body as string, headers: all });
    return (await hook.POST(request, { params: Promise.resolve({}) })).status;
  };

  it('is accepted if signed over its exact bytes', async () => {
    expect(await deliver('{ "a" : "ü" }')).toBe(200);
  });

  it('is refused if signed otherwise', async () => {
    const signature = sign('{}');
    for (const wrong of [
      '',
      'sha256=',
      signature.slice(7),
      signature.toUpperCase(),
      sign('{ }'),
      sign('{}', 'other'),
    ]) {
      expect(await deliver('{}', { 'x-hub-signature-256': wrong }), wrong).toBe(401);
    }
  });

  it('is checked in order: type, size, signature, headers, JSON', async () => {
    const wrong = { 'x-hub-signature-256': 'sha256=0' };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await deliver('{}', { ...form, ...wrong })).toBe(415);
    expect(await deliver(new Uint8Array(25_000_001), wrong)).toBe(413);
    expect(await deliver('{}', { ...wrong, 'x-github-event': '' })).toBe(401);
    expect(await deliver('{}', { 'x-github-event': '' })).toBe(400);
    expect(await deliver('{}', { 'x-github-delivery': '' })).toBe(400);
    expect(await deliver('{')).toBe(400);
  });

  it('is accepted up to 25 MB', async () => {
    expect(await deliver(Buffer.from('{}'.padEnd(25_000_000)))).toBe(200);
  });
});

describe('while a secret is being replaced', () => {
  const [newCron, newSecret] = ['the-new-secret-of-the-scheduler', 'the-new-secret-of-the-webhook'];
  const statuses = async (given: string) => {
    const body = '{}';
    const signature = `sha256=${createHmac('sha256', given).update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'b-1' };
    const delivered = await callRoute(hook, { method: 'POST', body: {}, headers });
    const asked = await callRoute(cron, { headers: { authorization: `Bearer ${given}` } });
    return [delivered.status, asked.status];
  };

  it('both are accepted, and the old one only until it is removed', async () => {
    const current = { CRON_SECRET: newCron, SCM_WEBHOOK_SECRET: newSecret };
    configure({ ...current, CRON_SECRET_PREVIOUS: CRON, SCM_WEBHOOK_SECRET_PREVIOUS: SECRET });
    expect([await statuses(newSecret), await statuses(SECRET)].map(([delivered]) => delivered)).toEqual([200, 200]);
    expect([await statuses(newCron), await statuses(CRON)].map(([, asked]) => asked)).toEqual([200, 200]);
    configure(current);
    expect([(await statuses(SECRET))[0], (await statuses(CRON))[1]]).toEqual([401, 401]);
  });

  it('an old one alone switches nothing on', async () => {
    configure({ CRON_SECRET_PREVIOUS: CRON, SCM_WEBHOOK_SECRET_PREVIOUS: SECRET });
    expect([(await statuses(SECRET))[0], (await statuses(CRON))[1]]).toEqual([503, 503]);
  });
});
