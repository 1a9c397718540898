import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { notifyNewHigh } from '#lib/services/notifications/notify.ts';
import { type ChatForTests, refuse, startChat } from '../support/chat.ts';
import { startService, type TestService, type TestUser } from '../support/service.ts';
import { createTeam, personalOrgOf } from '../support/teams.ts';
import { WEBHOOK } from '../support/webhook-addresses.ts';

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

const REPO_ID = '22222222-2222-4222-8222-222222222222';

const HIGH = {
  fingerprint: 'f'.repeat(64),
  rule_id: 'template-injection',
  title: 'Code injection',
  file: '.github/workflows/ci.yml',
  line: 12,
};

const put = (as: TestUser, enabled = true) =>
  service.call('PUT /api/notification-settings', { as, body: { slack_webhook_url: WEBHOOK, enabled } });

const notify = ({ id: userId }: TestUser, orgId: string, new_high: readonly (typeof HIGH)[] = [HIGH]) =>
  notifyNewHigh(createServices(env(), log), {
    userId,
    orgId,
    repository: 'acme/web',
    htmlUrl: 'https://code.example/acme/web',
    branch: 'main',
    commit: 'abc1234def5678abc1234def5678abc1234def56',
    scan: { repo_id: REPO_ID, new_high },
  });

async function stateOf({ id }: TestUser): Promise<unknown> {
  const where = 'select enabled, failure from public.notification_settings where user_id = $1';
  return (await service.database.sql(where, [id]))[0];
}

describe('notification of a push', () => {
  it('sends one message, however many findings there are', async () => {
    const alice = service.user();
    await put(alice);
    await notify(alice, await personalOrgOf(service, alice), [HIGH, { ...HIGH, line: 13 }]);
    const delivered = chat.take();
    expect(delivered.map(({ path }) => path)).toEqual([new URL(WEBHOOK).pathname]);
    expect(JSON.parse(delivered[0]?.text ?? '')).toMatchObject({ text: '2 new high findings in acme/web' });
  });

  it('sends nothing without new HIGH findings', async () => {
    const alice = service.user();
    await put(alice);
    await notify(alice, await personalOrgOf(service, alice), []);
    expect(chat.take()).toEqual([]);
  });

  it('sends nothing without an enabled webhook', async () => {
    const [alice, bob] = [service.user(), service.user()];
    await put(bob, false);
    for (const user of [alice, bob]) await notify(user, await personalOrgOf(service, user));
    expect(chat.take()).toEqual([]);
  });

  it('sends nothing to a former member', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, alice, bob);
    await put(bob);
    await notify(bob, team);
    expect(chat.take()).toHaveLength(1);
    const params = { org_id: team, user_id: bob.id };
    await service.call('DELETE /api/orgs/{org_id}/members/{user_id}', { as: bob, params });
    await notify(bob, team);
    expect(chat.take()).toEqual([]);
  });
});

describe('a failing chat service', () => {
  it('is called at most three times, and the scan continues', async () => {
    const alice = service.user();
    await put(alice);
    const org = await personalOrgOf(service, alice);
    chat.answer(refuse(503, ''), refuse(500, 'rollup_error'), refuse(503, ''));
    await notify(alice, org);
    expect(chat.take()).toHaveLength(3);
    expect(await stateOf(alice)).toEqual({ enabled: true, failure: null });
    expect(service.log.at(-1)).toMatch(/"message":"notification not delivered".*"reason":"refused".*"status":503/);
  });

  it.each(['no_service', 'channel_is_archived', 'invalid_token'])(
    'that answers %s is not called again until the webhook changes',
    async (code) => {
      const alice = service.user();
      await put(alice);
      const org = await personalOrgOf(service, alice);
      chat.answer(refuse(404, code));
      await notify(alice, org);
      await notify(alice, org);
      expect(chat.take()).toHaveLength(1);
      expect(await stateOf(alice)).toEqual({ enabled: false, failure: code });
      await put(alice);
      await notify(alice, org);
      expect(chat.take()).toHaveLength(1);
    },
  );

  it('does not disable a webhook that changed meanwhile', async () => {
    const alice = service.user();
    await put(alice);
    const org = await personalOrgOf(service, alice);
    chat.answer((response) => {
      const change = service.database.sql(
        `update public.notification_settings set slack_webhook_url = slack_webhook_url || '2' where user_id = $1`,
        [alice.id],
      );
      void change.then(() => response.writeHead(404).end('no_service'));
    });
    await notify(alice, org);
    expect(await stateOf(alice)).toEqual({ enabled: true, failure: null });
  });

  it('is never logged by its address', () => {
    expect(service.log.join('')).not.toMatch(/hooks\.slack|T0123ABCD|abcdefghijklmnop/);
  });
});

it('does not fail the scan, nor does a failing database', async () => {
  const alice = service.user();
  const broken = {
    ...createServices(env(), log),
    adminDb: () => {
      throw new Error('no database');
    },
  };
  const push = { userId: alice.id, orgId: alice.id, repository: 'a/b', htmlUrl: '', branch: 'main', commit: 'abc' };
  await expect(
    notifyNewHigh(broken, { ...push, scan: { repo_id: REPO_ID, new_high: [HIGH] } }),
  ).resolves.toBeUndefined();
  expect(service.log.at(-1)).toContain('"message":"notification failed"');
});
