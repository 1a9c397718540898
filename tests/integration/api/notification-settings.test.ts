import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserDb } from '../../support/data-api.ts';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { WEBHOOK, WRONG_WEBHOOKS } from '../../support/webhook-addresses.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const put = (as: TestUser, body: unknown) => service.call('PUT /api/notification-settings', { as, body });
const remove = (as: TestUser) => service.call('DELETE /api/notification-settings', { as });

async function rowsOf(user: TestUser): Promise<unknown> {
  const { data } = await createUserDb(service.database, user.token)
    .from('notification_settings')
    .select('user_id, slack_webhook_url, enabled');
  return data;
}

describe('PUT /api/notification-settings', () => {
  it('creates and replaces them, and returns the row: 200', async () => {
    const alice = service.user();
    for (const settings of [
      { slack_webhook_url: WEBHOOK, enabled: true },
      { slack_webhook_url: WEBHOOK, enabled: false },
      { slack_webhook_url: `${WEBHOOK}2`, enabled: true },
    ]) {
      const { status, json } = await put(alice, settings);
      expect([status, json]).toEqual([
        200,
        {
          user_id: alice.id,
          ...settings,
          failure: null,
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ]);
      expect(await rowsOf(alice)).toEqual([{ user_id: alice.id, ...settings }]);
    }
  });

  it('stores them per user', async () => {
    const [alice, bob] = [service.user(), service.user()];
    await put(alice, { slack_webhook_url: WEBHOOK, enabled: true });
    expect(await rowsOf(bob)).toEqual([]);
    await put(bob, { slack_webhook_url: `${WEBHOOK}2`, enabled: false });
    expect(await rowsOf(alice)).toEqual([{ user_id: alice.id, slack_webhook_url: WEBHOOK, enabled: true }]);
  });

  it('clears the reason why the webhook was disabled', async () => {
    const alice = service.user();
    await put(alice, { slack_webhook_url: WEBHOOK, enabled: true });
    await service.database.sql(
      `update public.notification_settings set enabled = false, failure = 'no_service' where user_id = $1`,
      [alice.id],
    );
    const { json } = await put(alice, { slack_webhook_url: WEBHOOK, enabled: true });
    expect(json).toMatchObject({ enabled: true, failure: null });
  });

  it.each(WRONG_WEBHOOKS)('refuses %s: 400', async (_, slack_webhook_url) => {
    const alice = service.user();
    const { status, json, text } = await put(alice, { slack_webhook_url, enabled: true });
    expect([status, json['code'], json['errors']]).toMatchObject([
      400,
      'validation-failed',
      [{ path: 'slack_webhook_url' }],
    ]);
    expect(text).not.toContain('abcdefghijklmnop');
    expect(await rowsOf(alice)).toEqual([]);
  });

  it.each([
    [{ slack_webhook_url: WEBHOOK }],
    [{ enabled: true }],
    [{ slack_webhook_url: WEBHOOK, enabled: 'true' }],
    [{ slack_webhook_url: WEBHOOK, enabled: null }],
    [{ slack_webhook_url: null, enabled: true }],
    [{ slack_webhook_url: `${WEBHOOK}\0`, enabled: true }],
    [{ slack_webhook_url: WEBHOOK, enabled: true, failure: null }],
    [null],
  ])('refuses %j: 400', async (body) => {
    expect((await put(service.user(), body)).json).toMatchObject({ status: 400, code: 'validation-failed' });
  });
});

describe('DELETE /api/notification-settings', () => {
  it('deletes only the caller’s settings, existing or not: 204', async () => {
    const [alice, bob] = [service.user(), service.user()];
    for (const user of [alice, bob]) await put(user, { slack_webhook_url: WEBHOOK, enabled: true });
    for (const _ of [1, 2]) {
      const { status, text } = await remove(alice);
      expect([status, text, await rowsOf(alice)]).toEqual([204, '', []]);
    }
    expect(await rowsOf(bob)).toHaveLength(1);
  });
});

it('no log line contains a webhook', () => {
  expect(service.log.length).toBeGreaterThan(20);
  expect(service.log.join('')).not.toMatch(/hooks\.slack|T0123ABCD|abcdefghijklmnop/);
});
