import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { callApi, connectAndScan, signIn, visitAs } from '../support/dashboard.ts';
import { FULL } from '../support/effort.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;
let org: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  org = await connectAndScan(stack, browser, 'ada');
  await connectAndScan(stack, browser, 'grace');
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const url = (path: string) => `${stack.web.url}${path}`;

describe.skipIf(!HAS_BROWSER)('an address inside an organization', () => {
  it('leads through the sign-in back to itself', async () => {
    const address = `/o/${org}/paths?sev=CRITICAL`;
    const opened = await visit(browser, url(address));
    const { page } = opened;
    await page.waitForURL('**/signin?next=*');
    await checkPage(opened);
    await signIn(page, 'ada');
    await page.waitForURL(`**${address}`);
    await page.getByText('6 of 11 attack paths').waitFor();
    expect(await page.getByRole('article').count()).toBe(6);
    await checkPage(opened);

    const other = await page.context().newPage();
    await other.goto(url(`/o/${org}`));
    const account = other.getByRole('button', { name: 'Account of ada' });
    await account.focus();
    await other.keyboard.press('ArrowDown');
    await other.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await other.keyboard.press('Escape');
    await other.getByRole('menu').waitFor({ state: 'detached' });
    await expect.poll(() => account.evaluate((button) => button === document.activeElement)).toBe(true);
    await account.click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.waitForURL('**/signin?next=*');
    await page.waitForURL('**/signin?next=*');
    expect(await page.getByText('storefront').count()).toBe(0);
  });

  it('tells a stranger that it is not there or not theirs, without a row of it', async () => {
    const answers: string[] = [];
    const opened = await visitAs(stack, browser, 'grace', '/o');
    opened.page.on(
      'response',
      (response) =>
        void response.text().then(
          (text) => answers.push(text),
          () => {},
        ),
    );
    await opened.page.goto(url(`/o/${org}/paths`));
    await opened.page.getByRole('heading', { name: 'Not there, or not yours' }).waitFor();
    await checkPage(opened);
    expect(answers.join('')).not.toContain('acme/');
  });

  it('stays open while there is no connection, and its links lead on afterwards', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${org}/findings`);
    const rules = page.getByRole('link', { name: 'Rules', exact: true });
    await page.getByText('82 findings').waitFor();
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await rules.click();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByText('82 findings').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await rules.click();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true);
  });

  it('names what the page shows in its title and moves the focus to it, can be skipped to its content and printed', async () => {
    const { page } = await visitAs(stack, browser, 'grace', '/o/{org}/repositories');
    const here = page.url().replace('/repositories', '');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to content' }).click({ trial: true });
    const { repos } = (await callApi(page, `/api/attack-paths?org=${here.split('/').at(-1)}`)) as AttackPathList;
    const [{ repo_id: repo, full_name: name, combos }] = repos as [AttackPathList['repos'][number]];
    const [path] = combos;
    const finding = path?.components[0]?.finding;
    for (const [address, title] of [
      [`/findings/${repo}/${finding?.fingerprint}`, `${finding?.title} in ${name}`],
      [`/repositories/${repo}`, name],
      [`/paths/${repo}/${path?.id}`, `${path?.title} in ${name}`],
      ['/actions/actions/checkout', 'actions/checkout'],
    ]) {
      await page.goto(here + address);
      await expect.poll(() => page.title()).toBe(`${title} · Chainbreak`);
    }
    await page.goto(`${here}/findings/${repo}/${finding?.fingerprint}`);
    await page.getByRole('heading', { level: 1, name: `${finding?.title}` }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(22, 27, 34)');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await page.getByRole('link', { name: 'Repositories', exact: true }).click();
    await expect.poll(() => page.title()).toBe('Repositories · Chainbreak');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Repositories');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('shows what to do first, and no filters, while nothing is connected', async () => {
    const opened = await visitAs(stack, browser, 'noor', '/o/{org}/findings');
    const { page } = opened;
    const here = page.url().replace('/findings', '');
    for (const section of ['findings', 'repositories', 'paths', 'actions', 'campaigns', 'campaigns/new']) {
      await page.goto(`${here}/${section}`);
      await page.getByText('No repository is connected').waitFor();
      expect(await page.getByRole('link', { name: 'Connect repositories' }).count(), section).toBe(1);
      expect(await page.getByRole('form', { name: 'Filters' }).count(), section).toBe(0);
    }
    expect(await page.getByRole('button', { name: 'Choose repositories' }).count()).toBe(0);
    await checkPage(opened);
    await page.goto(`${here}/activity`);
    await page.getByText('No decisions yet').waitFor();
    expect(await page.getByRole('form', { name: 'Filters' }).count()).toBe(0);
    await page.goto(`${here}/findings?sev=HIGH`);
    await page.getByRole('form', { name: 'Filters' }).waitFor();
  });

  it('after the sign-in is never one of another site', async () => {
    const addresses = ['https://evil.example/o', '/\\evil.example', '//evil.example/o', '/rules', '/o\t/x'];
    for (const next of addresses.slice(0, FULL ? addresses.length : 2)) {
      const { page } = await visit(browser, url(`/signin?next=${encodeURIComponent(next)}`));
      await signIn(page, 'grace');
      await page.waitForURL(/\/(?:setup|o\/[0-9a-f-]{36})$/);
      expect(new URL(page.url()).origin).toBe(stack.web.url);
      await endVisits(browser);
    }
  });
});

describe.skipIf(!HAS_BROWSER)('the attack paths of an organization', () => {
  it('are on the overview, worst first, beside what to fix first, and read once for all its parts', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/setup');
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/attack-paths')) asked.push(request.url());
    });
    await page.goto(url(`/o/${org}`));
    await page.getByRole('heading', { name: '11 attack paths' }).waitFor();
    await page.getByRole('link', { name: 'Attack paths 11' }).waitFor();
    expect(asked).toHaveLength(1);
    await page.getByRole('link', { name: '11 High' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(3);
    expect(await page.getByRole('article').getByText('Critical').count()).toBe(3);
    const { fix_first: fixes } = (await callApi(page, asked[0]?.replace(stack.web.url, '') ?? '')) as {
      readonly fix_first: readonly unknown[];
    };
    await page.getByRole('button', { name: `Show ${fixes.length - 5} more` }).click();
    expect(await page.getByRole('listitem').filter({ hasText: 'breaks' }).count()).toBe(fixes.length);
    await checkPage(opened);
  });

  it('are missing with a reason when the database does not answer', async () => {
    const { page } = await visitAs(stack, browser, 'ada', '/account');
    await page.route('**/rest/v1/**', (route) => route.abort());
    await page.goto(url(`/o/${org}`));
    const told = page.getByRole('alert').filter({ hasText: 'The findings could not be counted' });
    await told.getByText('The connection was lost.').waitFor({ timeout: 15_000 });
    await page.unroute('**/rest/v1/**');
    await told.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: '11 High' }).waitFor();
    expect(await told.count()).toBe(0);
  });

  it('group by the rule that breaks them, and say when no path matches', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/paths');
    const { page } = opened;
    await page.getByRole('combobox', { name: 'Group by', exact: true }).selectOption('fix');
    await page.getByRole('heading', { name: 'template-injection 3 paths' }).waitFor();
    expect(new URL(page.url()).search).toBe('?group=fix');
    await page.getByRole('combobox', { name: 'Severity', exact: true }).selectOption('MEDIUM');
    await page
      .getByRole('combobox', { name: 'Kind', exact: true })
      .selectOption({ label: 'Fork-built artifact executed by a privileged follow-up run' });
    await page.getByText('No attack path matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    expect(await page.getByRole('article').count()).toBe(11);
  });

  it('explain each step and where to break it, and are gone after the fix', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/paths?kind=event-text-to-shell-with-credentials');
    const { page } = opened;
    await page.getByRole('region', { name: 'acme/storefront' }).getByRole('article').getByRole('link').click();
    await page
      .getByRole('heading', { level: 1, name: 'Untrusted text is inserted into a privileged script' })
      .waitFor();
    const steps = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) });
    expect(await steps.count()).toBe(4);
    const broken = steps.filter({ hasText: 'Break the chain here' });
    expect(await broken.getByRole('heading', { level: 3 }).textContent()).toBe('The text becomes part of a script');
    await broken.getByText('.github/workflows/preview.yml:15').waitFor();
    await checkPage(opened);

    const fixed = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    await stack.host.push('acme/storefront', { files: { '.github/workflows/preview.yml': fixed }, keepOthers: true });
    await page.getByRole('button', { name: 'Scan again' }).click();
    await page.getByRole('heading', { name: 'This attack path is gone' }).waitFor();
    await page.getByRole('link', { name: 'Every secret is loaded next to untrusted action code' }).waitFor();
    expect(await page.title()).toBe('Attack path · Chainbreak');
    await checkPage(opened);
  });
});

describe.skipIf(!HAS_BROWSER)('the findings of an organization', () => {
  it('are grouped by rule, and open in a drawer that the address names', async () => {
    const opened = await visitAs(stack, browser, 'grace', '/o/{org}/findings');
    const { page } = opened;
    await page.getByRole('button', { name: 'unpinned-uses' }).waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'unpinned-uses' }).click();
    await page.getByRole('table', { name: 'Findings' }).waitFor();
    expect(new URL(page.url()).searchParams.get('rule')).toBe('unpinned-uses');
    const { repos } = (await callApi(page, `/api/attack-paths?org=${page.url().split('/')[4]}`)) as {
      readonly repos: readonly {
        readonly combos: readonly { readonly components: readonly { rule_id: string }[] }[];
      }[];
    };
    const held = repos.flatMap(({ combos }) =>
      combos.flatMap(({ components }) => components.filter(({ rule_id }) => rule_id === 'unpinned-uses')),
    );
    const marks = page.getByText(/^In (?:an attack path|\d+ attack paths)$/);
    await marks.first().waitFor();
    const counts = (await marks.allTextContents()).map((text) => Number.parseInt(text.slice(3), 10) || 1);
    expect(counts.reduce((sum, count) => sum + count)).toBe(held.length);
    await page.locator('[data-finding]').first().click();
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByRole('heading', { name: 'Recommendation' }).waitFor();
    await checkPage(opened);
    await drawer.getByRole('button', { name: 'Snooze' }).click();
    const decision = page.getByRole('dialog', { name: 'Snooze: 1 finding' });
    await decision.waitFor();
    await page.keyboard.press('Escape');
    await decision.waitFor({ state: 'hidden' });
    expect(await drawer.isVisible()).toBe(true);
    const address = page.url();
    await page.reload();
    await drawer.getByRole('heading', { name: 'Recommendation' }).waitFor();
    expect(page.url()).toBe(address);
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.get('rule')).toBe('unpinned-uses');
  });

  it('are decided by keyboard, and undone', async () => {
    const opened = await visitAs(stack, browser, 'grace', '/o/{org}/findings?group=none');
    const { page } = opened;
    const counted = page.getByText(/^\d+ findings$/);
    await counted.waitFor();
    const before = Number.parseInt((await counted.textContent()) ?? '', 10);
    await page.getByLabel('Title or file').pressSequentially('jxd');
    await page.getByText('No finding matches').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText(`${before} findings`).waitFor();

    await page.locator('[data-finding]').first().focus();
    for (const key of ['j', 'x', 'j', 'x', 'd']) await page.keyboard.press(key);
    await page.getByRole('dialog', { name: 'Dismiss: 2 findings' }).waitFor();
    await page.getByLabel('Reason (optional)').fill('we know');
    await page.keyboard.press('Enter');
    await page.getByText('2 findings are now dismissed.').last().waitFor();
    await page.getByText(`${before - 2} findings`).waitFor();
    await checkPage(opened);
    const stored = () => stack.database.sql("select reason from public.finding_ledger where status = 'dismissed'");
    expect(await stored()).toEqual([{ reason: 'we know' }, { reason: 'we know' }]);

    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('z');
    await page.getByText('2 findings are put back.').last().waitFor();
    await page.getByText(`${before} findings`).waitFor();
    expect(await stored()).toEqual([]);
  });

  it('that match are all selected at once; undo leaves alone what someone else changed', async () => {
    const { page } = await visitAs(stack, browser, 'grace', '/o/{org}/findings?group=none');
    const counted = page.getByText(/^\d+ findings$/);
    await counted.waitFor();
    const all = Number.parseInt((await counted.textContent()) ?? '', 10);
    expect(all).toBeGreaterThan(50);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: `Select all ${all} that match` }).click();
    await page.getByText(`${all} selected`).waitFor();
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('button', { name: '30 days' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click();
    await page.getByText(`${all} findings are now snoozed.`).last().waitFor();
    await stack.database.sql(
      "update public.finding_ledger set status = 'dismissed', expires_at = null where fingerprint = (select min(fingerprint) from public.finding_ledger where status = 'snoozed')",
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page
      .getByText(`${all - 1} findings are put back. 1 was left alone: someone else changed it.`)
      .last()
      .waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('the repositories of an organization', () => {
  it('show their last scan, and one shows its paths, scans and what was not assessed', async () => {
    const opened = await visitAs(stack, browser, 'grace', '/o/{org}/repositories');
    const { page } = opened;
    await page.getByText('6 repositories', { exact: true }).waitFor();
    await checkPage(opened);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('With high findings');
    await page.getByText(/^[1-5] repositor(?:y|ies)$/).waitFor();
    await page.getByRole('searchbox', { name: 'Name' }).fill('platform');
    await page.waitForURL(/q=platform/);
    await page.getByRole('link', { name: 'globex/platform' }).click();
    await page.getByRole('heading', { level: 1, name: 'globex/platform' }).waitFor();
    await page.getByRole('table', { name: 'Scans of this repository, newest first' }).waitFor();
    await page.getByText('Badge for the README').click();
    await page.getByText(`(${url('/api/badge/globex/platform.svg')})](${url('/r/globex/platform')})`).waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'Scan now' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
  });

  it('are monitored with a switch, which flips back when the change fails', async () => {
    const { page } = await visitAs(stack, browser, 'grace', '/o/{org}/repositories?q=platform');
    const monitor = page.getByRole('switch', { name: 'Scan globex/platform on each push' });
    await monitor.check();
    await expect
      .poll(() => stack.database.sql("select monitored from public.repositories where full_name = 'globex/platform'"))
      .toEqual([{ monitored: true }]);
    await page.route('**/monitor', (route) => route.fulfill({ status: 500, body: '{"code":"internal"}' }));
    await monitor.click();
    await page.getByRole('alert').filter({ hasText: 'This is our fault' }).waitFor();
    expect(await monitor.isChecked()).toBe(true);
  });

  it('of another organization are not there, nor what was found in them or is done with them', async () => {
    const { page } = await visitAs(stack, browser, 'ada', '/o/{org}');
    const { id: other } = (await callApi(page, '/api/orgs', { name: 'Elsewhere' })) as { readonly id: string };
    const [found] = await stack.database.sql<{ repo_id: string; fingerprint: string }>(
      `select l.repo_id, l.fingerprint from public.finding_ledger l join public.repositories r on r.id = l.repo_id
       where r.full_name = 'acme/storefront' and l.org_id = $1 limit 1`,
      [org],
    );
    const { repo_id: repo = '', fingerprint = '' } = found ?? {};
    const [kind] = (
      (await callApi(page, `/api/repositories/${repo}/combos`)) as { readonly combos: readonly { id: string }[] }
    ).combos;
    const { campaign } = (await callApi(page, `/api/campaigns?org=${org}`, {
      ruleset: 'owasp',
      repo_ids: [repo],
    })) as { readonly campaign: { readonly id: string } };
    for (const [address, what] of [
      [`repositories/${repo}`, 'This repository is not there, or not yours'],
      ['repositories/x', 'This repository is not there, or not yours'],
      [`paths/${repo}/${kind?.id}`, 'This repository is not there, or not yours'],
      [`paths/x/${kind?.id}`, 'This repository is not there, or not yours'],
      [`findings/${repo}/${fingerprint}`, 'This finding is not there, or not yours'],
      [`findings?group=none&f=${repo}.${fingerprint}`, 'This finding is not there, or not yours'],
      [`campaigns/${campaign.id}`, 'This campaign is not there, or not yours'],
    ] as const) {
      await page.goto(url(`/o/${other}/${address}`));
      await page.getByText(what).waitFor();
      expect(await page.content(), address).not.toContain('storefront');
    }
    await page.goto(url(`/o/${other}/findings?group=none&repo=${repo}&rule=unpinned-uses`));
    await page.getByText('No finding matches').waitFor();
    await page.goto(url(`/o/${other}/campaigns/new?repo=${repo}`));
    await page.getByText('No repository is connected').waitFor();
    expect(await page.content()).not.toContain('storefront');
    await page.goto(url(`/o/${org}/paths/${repo}/${kind?.id}`));
    await page.getByRole('region', { name: 'Step by step' }).waitFor();

    const grace = await visitAs(stack, browser, 'grace', `/o/{org}/repositories/${repo}`);
    await grace.page.getByText('This repository is not there, or not yours').waitFor();
    expect(await grace.page.content()).not.toContain('storefront');
    await checkPage(grace);
  });
});
