import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { callApi, connectAndScan, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

const RULE = 'template-injection';

let stack: Stack;
let browser: Browser;
let org: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  org = await connectAndScan(stack, browser, 'ada');
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const barOf = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });
const settings = () => stack.database.sql('select rule_id, enabled from public.rule_settings');
const listPaths = async (page: Page) => (await callApi(page, `/api/attack-paths?org=${org}`)) as AttackPathList;
const countFindings = async () => {
  const [row] = await stack.database.sql<{ n: number }>('select count(*)::int as n from public.current_findings');
  return row?.n ?? 0;
};

describe.skipIf(!HAS_BROWSER)('a rule of the organization', () => {
  it('warns before it is switched off, and then takes away exactly what it said', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/rules');
    const { page } = opened;
    const before = await listPaths(page);
    const resting = before.repos
      .flatMap(({ combos }) => combos)
      .filter(({ components }) => components.some(({ rule_id }) => rule_id === RULE)).length;
    const findings = await countFindings();
    expect([before.total_combos, resting, findings]).toEqual([11, 3, 82]);

    await page.getByRole('searchbox', { name: 'Rule' }).fill(RULE);
    const rule = page.getByRole('switch', { name: `${RULE} in the organization` });
    await rule.uncheck();
    const warning = new RegExp(
      `^${resting} attack paths depend on this rule; (\\d+) kinds of path can no longer be detected in (\\d+) repositories\\.$`,
    );
    await barOf(page).getByText(warning).waitFor();
    const [, kinds, repositories] = warning.exec((await barOf(page).getByText(warning).textContent()) ?? '') ?? [];
    await checkPage(opened);
    await barOf(page).getByRole('button', { name: 'Discard' }).click();
    await barOf(page).waitFor({ state: 'hidden' });
    expect([await rule.isChecked(), await settings()]).toEqual([true, []]);

    await rule.uncheck();
    await barOf(page).getByText(warning).waitFor();
    await barOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 change is saved.').waitFor();
    expect(await settings()).toEqual([{ rule_id: RULE, enabled: false }]);
    expect(await rule.isChecked()).toBe(false);
    await page.getByRole('row').filter({ has: rule }).getByText('ada@acme.example').waitFor();
    await checkPage(opened);

    await page.getByRole('link', { name: 'Attack paths' }).click();
    await page.getByText(`${before.total_combos - resting} attack paths`).waitFor();
    await page.getByText(/^Coverage: /).click();
    const blinded = page.getByRole('row').filter({ hasText: `${repositories} repositories not searched` });
    expect([await blinded.count(), Number(repositories)]).toEqual([Number(kinds), 7]);
    expect((await blinded.allTextContents()).join(' ')).not.toContain('Not present');
    expect(await countFindings()).toBe(findings);

    await page.getByRole('link', { name: /^Findings/ }).click();
    const groups = page.getByRole('row').filter({ hasText: 'Rule is off' });
    await groups.first().waitFor();
    expect(await groups.count()).toBe(1);
    await groups.getByRole('button', { name: RULE }).click();
    await page.locator('[data-finding]').first().waitFor();
    await page.getByText('Rule is off').first().waitFor();
    expect(await page.getByText('Rule is off').count()).toBe(await page.locator('[data-finding]').count());
    await page.locator('[data-finding]').first().click();
    await page.getByText('The next scan will not look for it, and attack paths leave it out.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('the rules of repositories', () => {
  it('change by keyboard in the matrix, and are saved in lots of 500', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/rules?tab=matrix');
    const { page } = opened;
    const grid = page.getByRole('grid', { name: 'Rules by repository' });
    await grid.focus();
    const columns = Number(await grid.getAttribute('aria-colcount')) - 1;
    const rows = Number(await grid.getAttribute('aria-rowcount')) - 1;
    expect(await page.getByRole('gridcell').count()).toBeLessThan(rows * columns);
    const first = page.getByRole('gridcell').first();
    const name = (await first.getAttribute('aria-label')) ?? '';
    expect(name).toMatch(/^\S+ in acme\/\S+: on, as the organization$/);
    const start = name.slice(0, name.indexOf(':'));
    for (const value of ['on, set here, not saved', 'off, set here, not saved', 'on, as the organization']) {
      await page.keyboard.press('Space');
      await page.getByRole('gridcell', { name: `${start}: ${value}`, exact: true }).waitFor();
    }
    expect(await barOf(page).count()).toBe(0);

    const wanted = 501;
    for (let done = 0; done < wanted; done += 1) {
      await page.keyboard.press('Space');
      if ((done + 1) % columns > 0) await page.keyboard.press('ArrowRight');
      else for (const key of ['ArrowDown', 'Home']) await page.keyboard.press(key);
    }
    await barOf(page).getByText(`${wanted} changes`).waitFor();
    await checkPage(opened);
    const lots: number[] = [];
    page.on('request', (request) => {
      if (!request.url().includes('/api/rule-overrides:batch')) return;
      lots.push((request.postDataJSON() as { readonly changes: readonly unknown[] }).changes.length);
    });
    await barOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText(`${wanted} changes are saved.`).waitFor();
    expect(lots).toEqual([500, 1]);
    expect(await stack.database.sql('select count(*)::int as n from public.rule_overrides where enabled')).toEqual([
      { n: wanted },
    ]);
    await page.getByRole('gridcell', { name: `${start}: on, set here`, exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('The matrix needs a wider screen').waitFor();
    expect(await grid.count()).toBe(0);
    await page.getByText(`${wanted} settings of repositories`).waitFor();
    const [one] = await stack.database.sql<{ repo_id: string; n: number }>(
      'select repo_id, count(*)::int as n from public.rule_overrides group by repo_id limit 1',
    );
    await page.goto(page.url().replace(/rules\?.*$/, `repositories/${one?.repo_id}`));
    await page.getByText(`${one?.n} rules are set for this repository`).click();
    expect(await page.getByRole('listitem').filter({ hasText: /: on$/ }).count()).toBe(one?.n);
  });

  it('stay unsaved when the server refuses them, with the reason', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/rules?tab=repositories&q=unpinned-uses');
    const { page } = opened;
    await page.getByLabel('In repository').selectOption('acme/clean');
    await page.getByLabel('Set rule').selectOption('unpinned-uses');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const here = page.getByRole('combobox', { name: 'unpinned-uses in acme/clean' });
    expect(await here.inputValue()).toBe('disabled');
    await page.route('**/api/rule-overrides:batch*', (route) =>
      route.fulfill({ status: 500, body: '{"code":"internal"}' }),
    );
    await barOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: '0 changes are saved. This is our fault' }).waitFor();
    await barOf(page).getByText('1 change', { exact: true }).waitFor();
    await page.unroute('**/api/rule-overrides:batch*');
    opened.complaints.length = 0;
    await barOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 change is saved.').waitFor();
    await here.selectOption('As the organization');
    await barOf(page).getByRole('button', { name: 'Save' }).click();
    await here.waitFor({ state: 'hidden' });
    await checkPage(opened);
  });
});

describe.skipIf(!HAS_BROWSER)('the actions of an organization', () => {
  it('are listed with their scores, grey without one, and lead to where they are used', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/actions');
    const { page } = opened;
    await page.getByRole('table', { name: 'Actions in use' }).waitFor();
    const used = await stack.database.sql<{ n: number }>(
      `select count(distinct lower(owner || '/' || name))::int as n from public.action_uses where org_id = $1`,
      [org],
    );
    await page.getByText(`${used[0]?.n} actions`).waitFor();
    await checkPage(opened);
    await page.getByRole('searchbox', { name: 'Name' }).fill('actions/checkout');
    await page.getByText('1 action', { exact: true }).waitFor();
    await page.getByText('No score', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'actions/checkout' }).click();
    await page.getByRole('heading', { level: 1, name: 'actions/checkout' }).waitFor();
    const [uses] = await stack.database.sql<{ n: number }>(
      `select count(*)::int as n from public.action_uses where org_id = $1 and owner = 'actions' and name = 'checkout'`,
      [org],
    );
    await page.getByRole('heading', { name: `${uses?.n} uses` }).waitFor();
    await expect.poll(() => page.getByRole('row').count(), { timeout: 60_000 }).toBe((uses?.n ?? 0) + 1);
    // The browser itself reports that the directory does not have the action.
    await expect.poll(() => opened.complaints.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(opened.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Request a score' }).click();
    await page.getByRole('img', { name: /^Score \d+ of 100/ }).waitFor();
    await checkPage(opened);
    await page.goBack();
    await page
      .getByRole('row', { name: /actions\/checkout/ })
      .getByText('Band')
      .waitFor({ state: 'attached' });
  });

  it('of other names are not looked up', async () => {
    const opened = await visitAs(stack, browser, 'ada', '/o/{org}/actions/actions/%2e%2e%2fcheckout');
    await opened.page.getByText('This address names no action').waitFor();
    await checkPage(opened);
  });
});
