import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatForTests, refuse, startChat } from '../../support/chat.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { WEBHOOK, WRONG_WEBHOOKS } from '../../support/webhook-addresses.ts';

let service: TestService;
let chat: ChatForTests;

beforeAll(async () => {
  chat = await startChat();
  service = await startService({ CHAT_WEBHOOK_ORIGIN: chat.origin, WEB_URL: 'https://chainbreak.example' });
});

afterAll(() => Promise.all([service?.stop(), chat?.stop()]));

beforeEach(() => {
  chat.take();
});

const test = (as: TestUser) => service.call('POST /api/notification-settings/test', { as });

async function userWith(address = WEBHOOK, enabled = true): Promise<TestUser> {
  const user = service.user();
  await service.database.sql(
    'insert into public.notification_settings (user_id, slack_webhook_url, enabled) values ($1, $2, $3)',
    [user.id, address, enabled],
  );
  return user;
}

async function stateOf({ id }: TestUser): Promise<unknown> {
  const where = 'select enabled, failure from public.notification_settings where user_id = $1';
  return (await service.database.sql(where, [id]))[0];
}

describe('POST /api/notification-settings/test', () => {
  it.each([true, false])('sends one message while enabled is %s: 200', async (enabled) => {
    const alice = await userWith(WEBHOOK, enabled);
    const { status, json } = await test(alice);
    expect([status, json]).toEqual([200, { delivered: true }]);
    const delivered = chat.take();
    expect(delivered.map(({ path }) => path)).toEqual([new URL(WEBHOOK).pathname]);
    expect(JSON.parse(delivered[0]?.text ?? '')).toMatchObject({ text: expect.stringMatching(/test message/) });
    expect(await stateOf(alice)).toEqual({ enabled, failure: null });
  });

  it('answers 404 without settings, whatever others have', async () => {
    await userWith();
    const { status, json } = await test(service.user());
    expect([status, json['code'], chat.take()]).toEqual([404, 'not-found', []]);
  });

  it.each([
    [400, 'invalid_payload', 'The chat service refused the message: invalid_payload.'],
    [403, 'action_prohibited', 'The chat service refused the message: action_prohibited.'],
    [429, 'rate_limited', 'The chat service refused the message.'],
    [500, '<b>secret of theirs</b>', 'The chat service refused the message.'],
    [302, '', 'The chat service answered with a redirect, which is not followed.'],
  ])('is 502 if Slack answers %i %s, without a retry', async (upstream, body, detail) => {
    const alice = await userWith();
    chat.answer(refuse(upstream, body, upstream === 302 ? { location: `${chat.origin}/elsewhere` } : {}));
    const { status, json } = await test(alice);
    expect([status, json['code'], json['detail']]).toEqual([502, 'chat-refused', detail]);
    expect(chat.take()).toHaveLength(1);
    expect(await stateOf(alice)).toEqual({ enabled: true, failure: null });
  });

  it('is 502 if Slack closes the connection, or times out', async () => {
    chat.answer((_, request) => request.socket.destroy());
    const cut = await test(await userWith());
    expect([cut.status, cut.json['detail']]).toEqual([502, 'The chat service could not be reached.']);
    chat.answer(() => {});
    const hung = await test(await userWith());
    expect([hung.status, hung.json['detail']]).toEqual([502, 'The chat service did not answer in time.']);
    expect(chat.take()).toHaveLength(2);
  });

  it.each([
    [404, 'no_service'],
    [403, 'invalid_token'],
    [410, 'channel_is_archived'],
  ])('is 502 at %i %s, and disables the webhook with the reason', async (upstream, code) => {
    const alice = await userWith();
    chat.answer(refuse(upstream, code));
    const { status, json } = await test(alice);
    expect([status, json['detail']]).toEqual([502, `The chat service refused the message: ${code}.`]);
    expect(await stateOf(alice)).toEqual({ enabled: false, failure: code });
  });

  it.each(WRONG_WEBHOOKS.filter(([, address]) => address.length <= 500))(
    'never sends to %s, even if stored: 502',
    async (_, address) => {
      const { status, json } = await test(await userWith(address));
      expect([status, json['code'], chat.take()]).toEqual([502, 'chat-refused', []]);
    },
  );
});

it('no log line or response contains a webhook', async () => {
  chat.answer(refuse(404, 'no_service'));
  expect((await test(await userWith())).text).not.toMatch(/hooks\.slack|services|T0123ABCD/);
  expect(service.log.length).toBeGreaterThan(20);
  expect(service.log.join('')).toContain('notification not delivered');
  expect(service.log.join('')).not.toMatch(/hooks\.slack|T0123ABCD|abcdefghijklmnop/);
});
