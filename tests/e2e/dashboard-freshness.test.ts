import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { callApi, connectAndScan, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { WEBHOOK } from '../support/webhook-addresses.ts';

const CRON_SECRET = 'a-secret-of-the-scheduler';
const BAD = `on: pull_request_target
permissions: write-all
jobs:
  preview:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
`;

const POLL_MS = 31_000;

let stack: Stack;
let browser: Browser;
let org: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const variables = { CRON_SECRET, SCM_WEBHOOK_SECRET: 'secret-of-the-webhook' };
  [stack, browser] = await Promise.all([startStack(variables, { webhooks: true }), sharedBrowser()]);
  org = await connectAndScan(stack, browser, 'ada');
}, 240_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const pushScans = () => stack.database.sql('select 1 from public.scans where trigger = $1', ['push']);

describe.skipIf(!HAS_BROWSER)('what others changed', () => {
  it('is offered when the end of a decision passed, and shown on request', async () => {
    const rule = 'dangerous-triggers';
    const opened = await visitAs(stack, browser, 'ada', `/o/${org}/findings?rule=${rule}`);
    const { page } = opened;
    const rows = page.locator('[data-finding]');
    await rows.first().waitFor();
    const all = await rows.count();
    expect(all).toBeGreaterThan(2);
    const keys = await rows.evaluateAll((links) => links.slice(0, 2).map((link) => link.getAttribute('data-finding')));
    const changes = keys.map((key) => {
      const [repo, fingerprint] = (key ?? '').split('.');
      const expires = new Date(Date.now() + 86_400_000).toISOString();
      return { repo_id: repo, fingerprint, status: 'snoozed', expires_at: expires };
    });
    await callApi(page, `/api/findings/status:batch?org=${org}`, { changes }, 'PUT');
    await page.clock.install();
    await page.reload();
    await page.getByText(`${all - 2} findings`).waitFor();
    await expect.poll(() => rows.count()).toBe(all - 2);

    await stack.database.sql(
      "update public.finding_ledger set expires_at = now() - interval '1 minute' where status = 'snoozed'",
    );
    const answer = await fetch(`${stack.web.url}/api/cron/expire-triage`, {
      headers: { authorization: `Bearer ${CRON_SECRET}` },
    });
    expect(answer.status).toBe(200);
    await page.clock.fastForward(POLL_MS);
    await page.getByText('2 new decisions:').waitFor();
    expect(await rows.count()).toBe(all - 2);
    await checkPage(opened);
    await page.getByRole('button', { name: 'show', exact: true }).click();
    await expect.poll(() => rows.count()).toBe(all);
    await page.getByText('2 new decisions:').waitFor({ state: 'detached' });

    await page.goto(`${stack.web.url}/o/${org}/activity`);
    await page.getByText('its time had passed').nth(1).waitFor();
    await checkPage(opened);
  });

  it('is offered after a scan by push, which one message links to', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/account/notifications');
    const { page } = opened;
    await page.getByLabel('Slack incoming webhook').fill(WEBHOOK);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://hooks.slack.com/••••••••').waitFor();
    const [clean] = await stack.database.sql<{ readonly id: string }>(
      "select id from public.repositories where full_name = 'acme/clean'",
    );
    await callApi(page, `/api/repositories/${clean?.id}/monitor`, { monitored: true }, 'PUT');
    await page.clock.install();
    await page.goto(`${stack.web.url}/o/${org}`);
    await page.getByRole('heading', { name: '11 attack paths' }).waitFor();
    await page.getByRole('link', { name: 'Attack paths 11' }).waitFor();
    const before = await page.getByRole('article').allTextContents();

    await stack.host.push('acme/clean', { files: { '.github/workflows/preview.yml': BAD }, keepOthers: true });
    await expect.poll(pushScans).toHaveLength(1);
    await page.clock.fastForward(POLL_MS);
    await page.getByText('1 new scan:').waitFor();
    await page.getByRole('link', { name: 'Attack paths 12' }).waitFor();
    expect(await page.getByRole('article').allTextContents()).toEqual(before);
    await page.getByRole('heading', { name: '11 attack paths' }).waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'show', exact: true }).click();
    await page.getByRole('heading', { name: '12 attack paths' }).waitFor();

    expect(await pushScans()).toHaveLength(1);
    const messages = stack.chat.take();
    expect(messages).toHaveLength(1);
    const link = new RegExp(`${stack.web.url}/o/${org}/findings/${clean?.id}/[0-9a-f]{64}`).exec(
      messages[0]?.text ?? '',
    );
    await page.goto(link?.[0] ?? '');
    await page.getByText('acme/clean').first().waitFor();
    await page.getByRole('heading', { name: 'Recommendation' }).waitFor();
    await checkPage(opened);
  });

  it('in another tab is heard at once, and what this tab wrote is not offered', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${org}/activity`);
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${stack.web.url}/o/${org}/repositories?q=reports`);
    await other.getByRole('link', { name: 'acme/reports' }).click();
    // Only a message of the other tab makes this one look before its next turn.
    await page.clock.install();
    await other.getByRole('button', { name: 'Scan now' }).click();
    await page.bringToFront();
    await page.getByText('1 new scan:').waitFor();
    expect(await other.getByText('1 new scan:').count()).toBe(0);
  });
});
