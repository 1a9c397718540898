import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { refuse } from '../support/chat.ts';
import { callApi, connectAndScan, PEOPLE, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { WEBHOOK } from '../support/webhook-addresses.ts';

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const url = (path: string) => `${stack.web.url}${path}`;

async function makeTeam(page: Page, name: string): Promise<string> {
  return ((await callApi(page, '/api/orgs', { name })) as { readonly id: string }).id;
}

async function invite(page: Page, org: string, email: string): Promise<string> {
  const made = await callApi(page, `/api/orgs/${org}/invites`, { email, role: 'member' });
  return (made as { readonly invite_id: string }).invite_id;
}

describe.skipIf(!HAS_BROWSER)('a team', () => {
  it('is created, named and joined by those whom a pasted list invites', async () => {
    const ada = await visitAs(stack, browser, 'ada', '/account?new=organization');
    const { page } = ada;
    await page.getByLabel('Name of the team').fill('  Acme  ');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/settings?tab=members');
    const org = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByText('You are the only admin').waitFor();
    expect(await page.getByRole('button', { name: 'Leave' }).isDisabled()).toBe(true);
    expect(await page.getByLabel('Role of ada@acme.example').isDisabled()).toBe(true);

    const list = 'Mel <mel@acme.example>, someone@else.example\nADA@acme.example; no-address';
    await page.getByLabel('Email addresses').fill(list);
    await page.getByRole('button', { name: 'Invite 4' }).click();
    await page.getByText('2 of 4 addresses invited').waitFor();
    const results = await page.getByRole('list', { name: 'Results' }).getByRole('listitem').allTextContents();
    expect(results).toEqual([
      'mel@acme.exampleinvited: copy the link below',
      'someone@else.exampleinvited: copy the link below',
      'ADA@acme.examplealready a member',
      'no-addressnot an email address: correct it and invite it again',
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const wrong = page.getByRole('list', { name: 'Open invites' }).getByRole('listitem').filter({ hasText: 'someone' });
    await wrong.getByRole('button', { name: 'Copy link' }).click();
    await wrong.getByText('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(new RegExp(`^${stack.web.url}/invites/[0-9a-f-]{36}$`));
    await checkPage({ page, complaints: ada.complaints.filter((text) => !/ 4(?:00|09) /.test(text)) });

    await page.goto(url(`/o/${org}/settings`));
    await page.getByLabel('Name of the organization').fill('Acme security');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Organization: Acme security' }).waitFor();
    await checkPage({ page, complaints: [] });

    const mel = await visitAs(stack, browser, 'mel', new URL(link).pathname);
    await mel.page.getByText('This invite is for another address, was revoked or used.').waitFor();
    await mel.page.getByText('You are signed in as mel@acme.example').waitFor();
    expect(await mel.page.getByText('someone@else.example').count()).toBe(0);
    await checkPage(mel);
    await mel.page.goto(url('/o'));
    await mel.page.goto(url('/invites'));
    await mel.page.getByText('Acme security').first().waitFor();
    await checkPage(mel);
    await mel.page.getByRole('button', { name: 'Join Acme security' }).click();
    await mel.page.waitForURL(`**/o/${org}`);
    await mel.page.getByRole('button', { name: 'Organization: Acme security' }).waitFor();

    await mel.page.goto(url(`/o/${org}/settings?tab=policy`));
    await mel.page.getByText('Only an admin may change the policy: ada@acme.example').waitFor();
    expect(await mel.page.getByLabel('The check fails on').isDisabled()).toBe(true);
    await checkPage(mel);
    await mel.page.getByRole('link', { name: 'Members' }).click();
    await mel.page.getByText('Only an admin may invite people: ada@acme.example').waitFor();
    expect(await mel.page.getByLabel('Role of ada@acme.example').isDisabled()).toBe(true);
    expect(await mel.page.getByRole('button', { name: 'Remove ada@acme.example' }).isDisabled()).toBe(true);
    await mel.page.getByRole('button', { name: 'Leave' }).click();
    await mel.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await mel.page.waitForURL('**/account');
    await mel.page.getByRole('heading', { name: 'Organizations' }).waitFor();
    await expect.poll(() => mel.page.getByRole('link', { name: 'Acme security' }).count()).toBe(0);
  });

  it('changes its policy and its roles, and tells a demoted admin', async () => {
    const { page } = await visitAs(stack, browser, 'ada', '/account');
    const org = await makeTeam(page, 'Roles');
    const id = await invite(page, org, 'noor@globex.example');
    const noor = await visitAs(stack, browser, 'noor', `/invites/${id}`);
    await noor.page.getByRole('button', { name: 'Join Roles' }).click();
    await noor.page.waitForURL(`**/o/${org}`);

    await page.goto(url(`/o/${org}/settings?tab=policy`));
    await page.getByLabel('The check fails on').selectOption('never');
    await page.getByText('The check never fails.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'hidden' });
    expect(await callApi(page, `/api/orgs/${org}/pr-gate`)).toEqual({ fail_on: 'never', new_only: true });

    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByLabel('Role of noor@globex.example').selectOption('admin');
    await expect
      .poll(() =>
        stack.database.sql("select role from public.org_members where email = 'noor@globex.example' and org_id = $1", [
          org,
        ]),
      )
      .toEqual([{ role: 'admin' }]);
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Leave' }).isDisabled()).toBe(false);

    await stack.database.sql(
      "update public.org_members set role = 'member' where email = 'ada@acme.example' and org_id = $1",
      [org],
    );
    await page.getByRole('button', { name: 'Remove noor@globex.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('You are no longer allowed to do this').waitFor();
    await page.getByText('Only an admin may change roles or remove others: noor@globex.example').waitFor();
  });

  it('uses an account that is connected in the personal organization', async () => {
    const opened = await visitAs(stack, browser, 'grace', '/account');
    const { page } = opened;
    await callApi(page, `/api/scm/callback?installation_id=${PEOPLE.grace}`);
    const org = await makeTeam(page, 'Platform');
    await page.goto(url(`/o/${org}/settings?tab=connections`));
    await page.getByText('No account is connected').waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'Use globex here too' }).click();
    await page.getByRole('list', { name: 'Connected accounts' }).getByText('globex').waitFor();
    const { repositories } = (await callApi(page, `/api/repos?org=${org}`)) as { readonly repositories: unknown[] };
    expect(repositories).toHaveLength(6);
  });
});

describe.skipIf(!HAS_BROWSER)('the pages of a person', () => {
  it('say that a personal organization has no other members', async () => {
    const opened = await visitAs(stack, browser, 'noor', '/o/{org}/settings?tab=members');
    await opened.page.getByText('A personal organization has one member').waitFor();
    await checkPage(opened);
  });

  it('keep preferences on the device', async () => {
    const opened = await visitAs(stack, browser, 'noor', '/account');
    const { page } = opened;
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck();
    await checkPage(opened);
    await page.reload();
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).waitFor();
    expect(await page.getByRole('switch', { name: 'Single-letter shortcuts' }).isChecked()).toBe(false);
  });

  it('hide the address of Slack, and show what Slack answers to a test', async () => {
    const opened = await visitAs(stack, browser, 'noor', '/account/notifications');
    const { page } = opened;
    const field = page.getByLabel('Slack incoming webhook');
    await field.fill('https://evil.example/services/T0/B0/x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not an incoming webhook').waitFor();
    await field.fill(WEBHOOK);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://hooks.slack.com/••••••••').waitFor();
    expect(await page.getByText(WEBHOOK).count()).toBe(0);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(WEBHOOK).waitFor();
    opened.complaints.length = 0;
    await checkPage(opened);

    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('Slack accepted the message').waitFor();
    expect(stack.chat.take()).toHaveLength(1);
    stack.chat.answer(refuse(404, 'no_service'));
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('The chat service refused the message: no_service.').waitFor();
    await page.getByText('Slack switched this address off: no_service').waitFor();
    expect(await page.getByRole('switch', { name: 'Send messages' }).isChecked()).toBe(false);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await field.waitFor();
    expect(await stack.database.sql('select 1 from public.notification_settings')).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the activity of an organization', () => {
  it('names who decided, filters, and takes decisions back as they were', async () => {
    const org = await connectAndScan(stack, browser, 'ada');
    const opened = await visitAs(stack, browser, 'ada', '/account');
    const { page } = opened;
    const findings = await stack.database.sql<{ repo_id: string; fingerprint: string }>(
      'select repo_id, fingerprint from public.finding_ledger where org_id = $1 order by fingerprint limit 3',
      [org],
    );
    const decide = (status: string, more: object = {}) =>
      callApi(
        page,
        `/api/findings/status:batch?org=${org}`,
        { changes: findings.map((key) => ({ ...key, status, ...more })) },
        'PUT',
      );
    const end = new Date(Date.now() + 30 * 86_400_000).toISOString();
    await decide('accepted', { reason: 'known <b>risk</b>', expires_at: end });
    await decide('dismissed');
    await callApi(page, `/api/rule-settings/template-injection?org=${org}`, { enabled: false }, 'PUT');

    await page.goto(url(`/o/${org}/activity`));
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await events.first().waitFor();
    expect(await events.count()).toBe(7);
    expect(await events.first().textContent()).toContain('ada@acme.example: rule template-injection');
    expect(await events.nth(1).textContent()).toContain('ada@acme.example: Accepted → Dismissed');
    await page.getByText('known <b>risk</b>').first().waitFor();
    await checkPage(opened);
    await page.getByLabel('What').selectOption('rules');
    await expect.poll(() => events.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => events.count()).toBe(7);

    const boxes = page.getByRole('checkbox', { name: 'Select: Dismissed' });
    expect(await boxes.count()).toBe(3);
    await boxes.first().check();
    await page.getByRole('button', { name: 'Select all 3 shown' }).click();
    const [, , changed] = findings;
    if (changed === undefined) throw new Error('Not three findings');
    await callApi(page, `/api/findings/status:batch?org=${org}`, { changes: [{ ...changed, status: 'open' }] }, 'PUT');
    await page.getByRole('button', { name: 'Revert 3 decisions' }).click();
    await page.getByText('2 findings are put back. 1 was left alone: someone else changed it.').last().waitFor();
    const stored = await stack.database.sql<{ status: string; reason: string | null; lasts: boolean }>(
      `select status, reason, coalesce(expires_at = $2, false) as lasts
       from public.finding_ledger where org_id = $1 and fingerprint = any ($3) order by fingerprint`,
      [org, end, findings.map(({ fingerprint }) => fingerprint)],
    );
    expect(stored).toEqual([
      { status: 'accepted', reason: 'known <b>risk</b>', lasts: true },
      { status: 'accepted', reason: 'known <b>risk</b>', lasts: true },
      { status: 'open', reason: null, lasts: false },
    ]);
  });

  it('reads on page by page, each event once', async () => {
    const opened = await visitAs(stack, browser, 'noor', '/o/{org}/activity');
    const { page } = opened;
    await page.getByText('No decisions yet').waitFor();
    await checkPage(opened);
    const org = new URL(page.url()).pathname.split('/')[2];
    await stack.database.sql(
      `insert into public.rule_events (org_id, rule_id, from_value, to_value, actor, created_at)
       select $1, 'template-injection', 'inherit', 'disabled', m.user_id, now() - n / 10 * interval '1 minute'
       from generate_series(1, 120) as n, public.org_members m where m.org_id = $1`,
      [org],
    );
    await page.reload();
    const events = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    for (const count of [50, 100, 120]) {
      await expect.poll(() => events.count()).toBe(count);
      if (count < 120) await page.getByRole('button', { name: 'Show older' }).click();
    }
    await page.getByRole('button', { name: 'Show older' }).waitFor({ state: 'hidden' });
  });
});
