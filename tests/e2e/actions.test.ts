import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { FLAWS, storeHistory } from '../support/action-history.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { scoredAction } from '../support/scored-action.ts';
import { type Stack, sharedStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;

const TAGS = { 'v1.0.0': 'a', 'v1.1.0': 'c', v1: 'c' };
const HIJACKED = { 'v1.0.0': 'e', 'v1.1.0': 'e', v1: 'e' };
const LONG = `${'o'.repeat(39)}/${'n'.repeat(100)}`;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([sharedStack(), sharedBrowser()]);
  const { database } = stack;
  await storeHistory(
    database,
    'Pictured/hijacked',
    [
      { commit: 'c', tags: TAGS, algorithm: '0.9.0', days: 30 },
      { commit: 'c', tags: TAGS, facts: { signature: { value: { verified: false } } }, days: 20 },
      { commit: 'e', tags: HIJACKED, facts: { ...FLAWS.plain, ...FLAWS.hijacked } },
    ],
    { description: 'Lists \u202Efiles <b>that</b> changed', archived: true },
  );
  await storeHistory(database, 'pictured/unread', [{ tags: TAGS, facts: FLAWS.unread }]);
  await storeHistory(database, LONG, [{ tags: { ['t'.repeat(200)]: 'a' }, facts: FLAWS.plain }], {
    description: 'd'.repeat(900),
    stars: 1_234_567,
  });
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

const url = (path: string) => `${stack.web.url}${path}`;

describe.skipIf(!HAS_BROWSER)('the pages of scored actions', () => {
  it('are searched, sorted and opened without JavaScript', async () => {
    const { page } = await visit(browser, url('/'), { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Actions' }).first().click();
    await page.waitForURL(url('/actions'));
    await page.getByLabel('Search').fill('pictured/');
    await page.getByLabel('Sort by').selectOption('name');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/actions?q=pictured%2F&**');
    const rows = page.getByRole('row');
    expect(await rows.getByRole('rowheader').getByRole('link').allTextContents()).toEqual([
      'Pictured/hijacked',
      'pictured/unread',
    ]);
    await page.getByRole('link', { name: 'Pictured/hijacked' }).click();
    await page.waitForURL(url('/actions/Pictured/hijacked'));
    await page.getByRole('img', { name: /^Score \d+ of 100, band F/ }).waitFor();
    await page.getByText('Do not run this version').waitFor();
  });

  it.each([
    '/actions',
    '/actions?q=pineapple/chunks&band=Q',
    '/actions?problem=rate-limited&wait=20&action=%E2%80%AE%3Cb%3E',
    '/actions/Pictured/hijacked',
    '/actions/pictured/unread',
    `/actions/${LONG}`,
    '/actions/never/seen',
    '/actions/methodology',
  ])('%s is usable in both themes and on a phone, with everything open', async (path) => {
    const opened = await visit(browser, url(path));
    for (const summary of await opened.page.locator('summary').all()) await summary.click();
    expect(await opened.page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await checkPage(opened);
  });

  it('copy the line that pins a version', async () => {
    const { page } = await visit(browser, url('/actions/pictured/unread'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'Copy line' }).click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `uses: pictured/unread@${'a'.repeat(40)} # v1.0.0`,
    );
  });

  it('score an unknown action on request, and open its page', async () => {
    await stack.host.addRepository({
      fullName: 'octo/requested',
      files: { 'action.yml': 'name: A\nruns:\n  using: node24\n  main: index.js\n', 'index.js': 'console.log(1);\n' },
    });
    await stack.forgetVisitors();
    const missing = await fetch(url('/actions/octo/requested'));
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('Action not found')]);
    const unknown = await visit(browser, url('/actions/octo/requested'));
    await unknown.page.getByRole('button', { name: 'Score this action' }).waitFor();
    const { page } = await visit(browser, url('/actions?q=octo/requested'), { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Score this action' }).click();
    await page.getByRole('img', { name: /^Score \d+ of 100/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/actions/octo/requested');
  });

  it('open a waiting action anew once it is scored', async () => {
    const db = createAdminDb(stack.database);
    await actions.enqueue(db, 'pictured', 'waiting');
    const opened = await visit(browser, url('/actions/pictured/waiting'));
    await opened.page.getByText('This page refreshes once there is a score.').waitFor();
    await checkPage(opened);
    await actions.store(db, scoredAction('pictured/waiting', { score: 91 }));
    await opened.page.getByRole('img', { name: /^Score 91 of 100, band A/ }).waitFor();
  });

  it('have one address each, a description, a preview, and a place in the sitemap', async () => {
    const other = await fetch(url('/actions/pictured/HIJACKED'), { redirect: 'manual' });
    expect([other.status, other.headers.get('location')]).toEqual([308, '/actions/Pictured/hijacked']);
    const html = await (await fetch(url('/actions/Pictured/hijacked'))).text();
    expect(/<link rel="canonical" href="[^"]*\/actions\/Pictured\/hijacked"/.test(html)).toBe(true);
    expect(/<meta name="description" content="Risk score \d+ of 100 \(band F\) for v1/.test(html)).toBe(true);
    const [, preview = ''] = /<meta property="og:image" content="[^"]*?(\/actions\/[^"]+)"/.exec(html) ?? [];
    const picture = await fetch(url(preview));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    const sitemap = await (await fetch(url('/sitemap.xml'))).text();
    expect(sitemap).toContain('/actions/Pictured/hijacked</loc>');
    expect(sitemap).toContain('/rules/artipacked</loc>');
    expect(await (await fetch(url('/robots.txt'))).text()).toMatch(/Sitemap: http.*\/sitemap\.xml/);
    for (const wrong of ['/actions/..%2f/x', '/actions/a%00/b', '/actions/a/b%20c']) {
      expect((await fetch(url(wrong))).status, wrong).toBe(404);
    }
  });
});
