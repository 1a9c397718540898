import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { type ChatForTests, refuse, startChat } from '../../../tests/support/chat.ts';
import { WEBHOOK, WRONG_WEBHOOKS } from '../../../tests/support/webhook-addresses.ts';
import { deliver } from './deliver.ts';
import { describeTest } from './message.ts';

const MESSAGE = describeTest('https://chainbreak.example');
const PATH = new URL(WEBHOOK).pathname;

let chat: ChatForTests;

beforeAll(async () => {
  chat = await startChat();
});

afterAll(() => chat?.stop());

beforeEach(() => {
  chat.take();
});

const send = (attempts: number, address = WEBHOOK, webhookOrigin = chat.origin) =>
  deliver({ webhookHost: 'hooks.slack.com', webhookOrigin }, address, MESSAGE, attempts);

async function startHost({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<ChatForTests> {
  const host = await startChat();
  onTestFinished(() => host.stop());
  return host;
}

describe('a delivery', () => {
  it('posts the message as JSON to the path of the webhook', async () => {
    expect(await send(1)).toEqual({ delivered: true });
    expect(chat.take()).toEqual([
      { path: PATH, type: 'application/json; charset=utf-8', text: JSON.stringify(MESSAGE) },
    ]);
  });

  it.each(WRONG_WEBHOOKS)('is never sent to %s', async (_, address) => {
    expect(await send(3, address)).toMatchObject({ delivered: false, reason: 'not-a-webhook' });
    expect(chat.take()).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i), and is not repeated', async (status) => {
    chat.answer(refuse(status, '', { location: `${chat.origin}/elsewhere` }));
    expect(await send(3)).toMatchObject({ delivered: false, reason: 'redirected', status });
    expect(chat.take().map(({ path }) => path)).toEqual([PATH]);
  });

  it.each([
    [403, 'invalid_token'],
    [403, 'team_disabled'],
    [404, 'no_service'],
    [404, 'no_team'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
    [500, 'no_active_hooks'],
  ])('is not repeated after %i %s: the webhook is gone', async (status, code) => {
    chat.answer(refuse(status, `${code}\n`));
    expect(await send(3)).toEqual({ delivered: false, reason: 'refused', status, code, dead: true });
    expect(chat.take()).toHaveLength(1);
  });

  it.each([
    [400, 'invalid_payload', 'invalid_payload'],
    [403, 'action_prohibited', 'action_prohibited'],
    [404, '<html>Not here</html>', null],
    [400, 'something_new', null],
  ])('is not repeated after %i %.30s, and reports documented codes only', async (status, body, code) => {
    chat.answer(refuse(status, body));
    expect(await send(3)).toEqual({ delivered: false, reason: 'refused', status, code, dead: false });
    expect(chat.take()).toHaveLength(1);
  });

  it('reads only the start of a response, however long and slow', async () => {
    chat.answer((response) => {
      response.writeHead(404);
      response.write(`no_service${' '.repeat(2_000)}`);
    });
    const started = performance.now();
    expect(await send(1)).toMatchObject({ reason: 'refused', status: 404 });
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe.concurrent('a delivery that has to wait', () => {
  it('is repeated after 429 and 5xx, a limited number of times', async ({ expect, onTestFinished }) => {
    const host = await startHost({ onTestFinished });
    host.answer(refuse(429, 'rate_limited'), refuse(503, ''));
    expect(await send(3, WEBHOOK, host.origin)).toEqual({ delivered: true });
    expect(host.take()).toHaveLength(3);
    host.answer(refuse(500, 'rollup_error'), refuse(500, 'rollup_error'));
    expect(await send(2, WEBHOOK, host.origin)).toMatchObject({ reason: 'refused', status: 500, code: 'rollup_error' });
    expect(host.take()).toHaveLength(2);
  });

  it('waits as long as Slack asks, unless that is too long', async ({ expect, onTestFinished }) => {
    const host = await startHost({ onTestFinished });
    host.answer(refuse(429, '', { 'retry-after': '2' }));
    const started = performance.now();
    expect(await send(2, WEBHOOK, host.origin)).toEqual({ delivered: true });
    expect(performance.now() - started).toBeGreaterThan(1_900);
    host.take();
    host.answer(refuse(429, '', { 'retry-after': '3600' }));
    expect(await send(2, WEBHOOK, host.origin)).toMatchObject({ reason: 'refused', status: 429 });
    expect(host.take()).toHaveLength(1);
  });

  it('is repeated after a failed connection', async ({ expect, onTestFinished }) => {
    const host = await startHost({ onTestFinished });
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const started = performance.now();
    expect(await send(2, WEBHOOK, `http://127.0.0.1:${port}`)).toMatchObject({ reason: 'unreachable', status: null });
    expect(performance.now() - started).toBeGreaterThan(900);
    host.answer((_, request) => request.socket.destroy());
    expect(await send(2, WEBHOOK, host.origin)).toEqual({ delivered: true });
  });

  it('gives up after five seconds without a retry, since the message may have arrived', async ({
    expect,
    onTestFinished,
  }) => {
    const host = await startHost({ onTestFinished });
    const started = performance.now();
    host.answer(() => {});
    expect(await send(3, WEBHOOK, host.origin)).toMatchObject({ delivered: false, reason: 'timed-out' });
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(host.take()).toHaveLength(1);
  });
});
