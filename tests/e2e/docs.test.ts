import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { bareWeb, type Web } from '../support/web.ts';

let web: Web;
let browser: Browser;

beforeAll(async () => {
  web = await bareWeb();
  if (HAS_BROWSER) browser = await sharedBrowser();
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await web?.stop();
});

const url = (path: string) => `${web.url}${path}`;

describe('the documentation, without a script', () => {
  it('answers a search with the parts that match', async () => {
    const html = await (await fetch(url('/docs/search?q=sarif+upload'))).text();
    expect(html).toContain('href="/docs/ci#github-with-code-scanning"');
    const nothing = await (await fetch(url('/docs/search?q=%3Cscript%3Ealert(1)'))).text();
    expect(nothing).toContain('No section has all of these words.');
    expect(nothing).not.toContain('<script>alert');
    expect(nothing).toContain('0 results for');
  });

  it('has a real 404', async () => {
    for (const wrong of ['/docs/nothing', '/docs/rules', '/docs/ci.md', '/docs/ci/x'])
      expect((await fetch(url(wrong))).status, wrong).toBe(404);
  });

  it('is in the sitemap', async () => {
    expect(await (await fetch(url('/sitemap.xml'))).text()).toContain('/docs/quick-start</loc>');
  });
});

describe.skipIf(!HAS_BROWSER)('the documentation in a browser', () => {
  it.each(['/docs', '/docs/ci', '/docs/precision', '/docs/deploy', '/docs/search?q=baseline'])(
    '%s is usable in both themes and on a phone',
    async (path) => {
      await checkPage(await visit(browser, url(path)));
    },
  );

  it('copies a block of code as it stands, and stops the Tab key only at what scrolls', async () => {
    const { page } = await visit(browser, url('/docs/install'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'Copy' }).nth(2).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npm pack\nnpm install --global ./chainbreak-0.1.0.tgz\n',
    );
    const stops = () => page.locator('pre[tabindex]').count();
    await expect.poll(stops).toBe(0);
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(stops).toBeGreaterThan(0);
  });

  it('leads from a result to its heading', async () => {
    const { page } = await visit(browser, url('/docs'));
    await page.getByLabel('Search the documentation').fill('exit codes');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Use it in CI: Exit codes' }).click();
    await page.waitForURL(url('/docs/ci#exit-codes'));
    expect(await page.getByRole('heading', { name: 'Exit codes' }).isVisible()).toBe(true);
  });
});
