import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, type Visit, visit } from '../support/browser.ts';
import { callApi, PEOPLE, signIn, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;
let team: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  const { page } = await visitAs(stack, browser, 'ada', '/setup');
  ({ id: team } = (await callApi(page, '/api/orgs', { name: 'Acme' })) as { id: string });
  await callApi(page, `/api/scm/callback?installation_id=${PEOPLE.ada}&org=${team}`);
  const { repositories } = (await callApi(page, `/api/repos?org=${team}`)) as {
    readonly repositories: readonly { readonly id: string }[];
  };
  for (const { id } of repositories) await callApi(page, '/api/scan', { repo_id: id });
  const body = { email: 'mel@acme.example', role: 'member' };
  const invite = (await callApi(page, `/api/orgs/${team}/invites`, body)) as { readonly invite_id: string };
  const mel = await visitAs(stack, browser, 'mel', '/setup');
  await callApi(mel.page, `/api/invites/${invite.invite_id}/accept`, undefined, 'POST');
  await endVisits(browser);
}, 240_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const url = (path: string) => `${stack.web.url}${path}`;

async function openCount(condition = 'true'): Promise<number> {
  const [row] = await stack.database.sql<{ count: number }>(
    `select count(*)::int as count from public.finding_ledger
     where org_id = $1 and present and status = 'open' and ${condition}`,
    [team],
  );
  return row?.count ?? 0;
}

async function rows<T extends object>(query: string): Promise<readonly T[]> {
  return stack.database.sql<T>(query, [team]);
}

async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(globalThis, { said });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest('[role=status]');
        if (region) said.push(region.textContent);
      }
    }).observe(document.body, { subtree: true, characterData: true, childList: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { readonly said: string[] }).said);
}

describe.skipIf(!HAS_BROWSER)('the address of a finding', () => {
  it('leads a signed-out user through the sign-in to the same list with the same drawer', async () => {
    const [finding] = await rows<{ repo_id: string; fingerprint: string; title: string }>(
      `select repo_id, fingerprint, title from public.finding_ledger
       where org_id = $1 and severity = 'HIGH' order by fingerprint limit 1`,
    );
    if (finding === undefined) throw new Error('No finding');
    const address = `/o/${team}/findings?sev=HIGH&group=none&f=${finding.repo_id}.${finding.fingerprint}`;
    const opened = await visit(browser, url(address));
    const { page } = opened;
    await page.waitForURL('**/signin?next=*');
    await signIn(page, 'ada');
    await page.waitForURL(`**${address}`);
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByRole('heading', { name: finding.title }).waitFor();
    await checkPage(opened);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    const high = await openCount("severity = 'HIGH'");
    expect(high).toBe(11);
    expect(await page.locator('[data-finding]').count()).toBe(high);
  });
});

describe.skipIf(!HAS_BROWSER)('the list of findings', () => {
  it('follows a link that is pressed right after typing', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    await page.getByText('82 findings', { exact: true }).waitFor();
    await page.getByLabel('Title or file').fill('credential');
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
    await page.getByText('128 rules').waitFor();
    await page.goBack();
    await page.waitForURL('**/findings?group=none&q=credential');
    await page.getByRole('heading', { level: 1, name: 'Findings' }).waitFor();
    expect(await page.getByLabel('Title or file').inputValue()).toBe('credential');
  });

  it('goes back to the first page, also after the second one was loaded again', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    await page.getByText('Page 1 of 2').waitFor();
    const first = await page.locator('[data-finding]').first().getAttribute('data-finding');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.waitForURL('**/findings?group=none&page=2');
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
    await page.goForward();
    await page.getByText('Page 2 of 2').waitFor();
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('?group=none');
    await page.locator(`[data-finding="${first}"]`).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('triage by keyboard', () => {
  it('is announced once, and undo leaves no trace of its reason', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const { page } = opened;
    const before = await openCount();
    expect(before).toBe(82);
    await page.getByText(`${before} findings`, { exact: true }).waitFor();
    await page.locator('[data-finding]').first().focus();
    for (const key of ['j', 'j', 'x', 'j', 'x', 'd']) await page.keyboard.press(key);
    const said = await listen(page);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('known');
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('known');
    await page.keyboard.press('Enter');
    await page.getByText('2 findings are now dismissed.').last().waitFor();
    await page.getByText(`${before - 2} findings`, { exact: true }).waitFor();
    await expect.poll(said, { timeout: 10_000 }).toContain('2 findings are now dismissed.');
    await checkPage(opened);
    expect((await said()).filter((text) => text === '2 findings are now dismissed.')).toHaveLength(1);
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('z');
    await page.getByText(`${before} findings`, { exact: true }).waitFor();
    expect(await openCount()).toBe(before);
    expect(await rows('select 1 from public.finding_ledger where org_id = $1 and reason is not null')).toEqual([]);
  });

  it('does nothing while a filter is typed, and typing keeps the focus', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    await page.getByText('82 findings', { exact: true }).waitFor();
    const filter = page.getByLabel('Title or file');
    await filter.focus();
    for (const key of 'jxd') await page.keyboard.press(key);
    expect(await filter.inputValue()).toBe('jxd');
    await page.getByText('No finding matches').waitFor();
    await page.waitForURL('**/findings?group=none&q=jxd');
    expect(await filter.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText('82 findings', { exact: true }).waitFor();
    expect(await filter.inputValue()).toBe('');
  });

  it('selects a whole page with *, and offers the reasons given before', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    await page.keyboard.type('fixture');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 finding is put back.').last().waitFor();
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('*');
    await page.getByText('50 selected').waitFor();
    const bar = page.getByRole('region', { name: 'Selected findings' });
    await bar.getByRole('button', { name: 'False positive' }).waitFor();
    expect(await bar.getByRole('button', { name: 'Reopen' }).count()).toBe(0);
    await page.keyboard.press('f');
    await page.getByRole('dialog', { name: 'Mark as false positive: 50 findings' }).waitFor();
    const offered = page.locator('dialog datalist option');
    expect(await offered.allTextContents()).toEqual(['fixture']);
    await page.keyboard.press('Escape');
    expect(await openCount()).toBe(82);
  });

  it('is off for those who switch single letters off', async () => {
    const { page } = await visitAs(stack, browser, 'ada', '/account');
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck();
    await page.goto(url(`/o/${team}/findings?group=none`));
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    expect(await page.getByRole('region', { name: 'Selected findings' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .nth(1)
      .check();
    await page.getByText('1 selected').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('an open finding', () => {
  it('leads to the next one, is decided by keyboard, and its history takes the decision back', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const { page } = opened;
    await page.getByText('82 findings', { exact: true }).waitFor();
    const [first, second, third] = await page
      .locator('[data-finding]')
      .evaluateAll((rows) => rows.slice(0, 3).map((each) => each.getAttribute('data-finding')));
    await page.locator('[data-finding]').first().click();
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByText('1 of 50 on this page').waitFor();
    expect(new URL(page.url()).searchParams.get('f')).toBe(first);
    await page.keyboard.press(']');
    await drawer.getByText('2 of 50 on this page').waitFor();
    await page.waitForURL(`**f=${second}*`);
    await drawer.getByRole('button', { name: /^Dismiss/ }).waitFor();
    await page.keyboard.press('d');
    await page.getByRole('dialog', { name: 'Dismiss: 1 finding' }).waitFor();
    await page.keyboard.type('ds]');
    await page.keyboard.press('Enter');
    await drawer.getByText('1 finding is now dismissed.').last().waitFor();
    await drawer.getByText('Reason: ds]').waitFor();
    expect(await openCount()).toBe(81);
    await checkPage(opened);
    await drawer.getByRole('button', { name: 'Revert' }).click();
    await drawer.getByText('1 finding is put back.').last().waitFor();
    await expect.poll(() => openCount()).toBe(82);
    await page.keyboard.press(']');
    await page.waitForURL(`**f=${third}*`);
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).toBe('?group=none');
  });

  it('shows a decision before the server has stored it, and puts it back when that fails', async () => {
    const { page, complaints } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const row = page
      .getByRole('row')
      .filter({ has: page.locator('[data-finding]') })
      .first();
    await row.getByText('Open', { exact: true }).last().waitFor();
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/findings/status:batch?*', async (route) => {
      await asked;
      await route.fulfill({ status: 500, contentType: 'application/json', body: '{"code":"internal"}' });
    });
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('d');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await row.getByText('Dismissed').last().waitFor();
    answer();
    await page
      .getByText(/^1 finding was not changed\. This is our fault/)
      .last()
      .waitFor();
    await row.getByText('Open', { exact: true }).last().waitFor();
    expect(await openCount()).toBe(82);
    expect(complaints.filter((text) => !/ 500 /.test(text))).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('scans on push', () => {
  it('name who is notified, and another member can take that over', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/repositories?q=docs-site`);
    await page.getByRole('switch', { name: 'Scan acme/docs-site on each push' }).check();
    await page.getByText('Notifies you').waitFor();
    const mel = await visitAs(stack, browser, 'mel', `/o/${team}/repositories?q=docs-site`);
    await mel.page.getByText('Notifies ada@acme.example').waitFor();
    await checkPage(mel);
    await mel.page.getByRole('button', { name: 'Notify me instead' }).click();
    await mel.page.getByText('Notifies you').waitFor();
    const found = await rows<{ email: string }>(
      `select m.email from public.repositories r join public.org_members m on m.user_id = r.monitored_by and m.org_id = r.org_id
       where r.org_id = $1 and r.monitored`,
    );
    expect(found).toEqual([{ email: 'mel@acme.example' }]);
  });
});

describe.skipIf(!HAS_BROWSER)('triage of all findings of a repository', () => {
  const events = () => rows('select 1 from public.triage_events where org_id = $1');

  /** Uses up the limit of a minute that has at least 8 seconds left. */
  async function useUpLimit({ page }: Visit): Promise<void> {
    await page.evaluate(async () => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token: string };
      const ask = () => fetch('/api/capabilities', { headers: { authorization: `Bearer ${token}` } });
      for (let wait = 0; wait < 8; ) {
        await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
        const answers = await Promise.all(Array.from({ length: 130 }, ask));
        wait = Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'));
        if (Number.isNaN(wait)) throw new Error('No limit');
      }
    });
  }

  it('waits for the rate limit, and its undo names what someone else changed', async () => {
    const [storefront] = await rows<{ id: string }>(
      "select id from public.repositories where org_id = $1 and full_name = 'acme/storefront'",
    );
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none&repo=${storefront?.id}`);
    const { page } = opened;
    const all = await openCount();
    const eventsBefore = (await events()).length;
    const own = await openCount(`repo_id = '${storefront?.id}'`);
    expect(own).toBe(36);
    await page.getByText(`${own} findings`, { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('36 selected').waitFor();
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('button', { name: '30 days' }).click();
    await useUpLimit(opened);
    await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click();
    await page
      .getByText(/^0 of 36 findings\. Rate limit reached: continuing in \d+ seconds?\.$/)
      .first()
      .waitFor();
    await page.getByText('36 findings are now snoozed.').last().waitFor({ timeout: 75_000 });
    expect(await openCount()).toBe(all - 36);

    const mel = await visitAs(stack, browser, 'mel', '/setup');
    const [other] = await rows<{ repo_id: string; fingerprint: string; title: string }>(
      `select repo_id, fingerprint, title from public.finding_ledger
       where org_id = $1 and status = 'snoozed' order by fingerprint limit 1`,
    );
    if (other === undefined) throw new Error('Nothing is snoozed');
    const path = `/api/repositories/${other.repo_id}/findings/${other.fingerprint}/status`;
    await callApi(mel.page, path, { status: 'dismissed' }, 'PUT');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('35 findings are put back. 1 was left alone: someone else changed it.').last().waitFor();
    const leftAlone = await page.getByRole('list', { name: 'Left alone' }).getByRole('listitem').allTextContents();
    expect(leftAlone).toEqual([`${other.title} in acme/storefront`]);
    const limited = ({ complaints }: Visit) => complaints.filter((text) => !/ 429 /.test(text));
    await checkPage({ page, complaints: limited(opened) });
    expect(await openCount()).toBe(all - 1);
    expect((await events()).length - eventsBefore).toBe(36 + 1 + 35);

    await page.goto(url(`/o/${team}/activity`));
    await page.getByText('mel@acme.example: Snoozed → Dismissed').first().waitFor();
    await checkPage({ page, complaints: limited(opened) });
  }, 240_000);
});
