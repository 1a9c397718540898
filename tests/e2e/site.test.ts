import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '#lib/errors.ts';
import { PROBLEMS } from '#lib/http/route/problem.ts';
import { listCombinations } from '#lib/services/pages/combination-page.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { FULL } from '../support/effort.ts';
import { type Stack, sharedStack, storeReport } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([sharedStack(), sharedBrowser()]);
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

const COMBINATION = '/attack-paths/untrusted-run-to-release-cache';

const url = (path: string) => `${stack.web.url}${path}`;

describe.skipIf(!HAS_BROWSER)('every page', () => {
  it('of a problem code explains it', async () => {
    const opened = await visit(browser, url('/problems'));
    expect(await opened.page.locator('tbody a').allTextContents()).toEqual([...PROBLEM_CODES]);
    await checkPage(opened);
    await opened.page.getByRole('link', { name: 'rate-limited' }).click();
    await opened.page.waitForURL(url('/problems/rate-limited'));
    expect(await opened.page.getByText(PROBLEMS['rate-limited'].explanation).count()).toBe(1);
    await checkPage(opened);
  });

  it('marks its part of the site in the top bar', async () => {
    for (const [path, label, value] of [
      ['/rules', 'Rules', 'page'],
      ['/rules/artipacked', 'Rules', 'true'],
      [COMBINATION, 'Attack paths', 'true'],
    ] as const) {
      const { page } = await visit(browser, url(path));
      const marked = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]');
      expect([await marked.textContent(), await marked.getAttribute('aria-current')], path).toEqual([label, value]);
    }
  });

  it('fits a window of 320 px', async () => {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const byLength = listCombinations().sort((a, b) => b.id.length - a.id.length);
    const chains = byLength.slice(0, FULL ? byLength.length : 4).map(({ id }) => `/attack-paths/${id}`);
    const paths = ['/', '/harden', '/rules', '/rules/artipacked', '/actions', '/docs', '/docs/api', ...chains];
    for (const path of [...paths, await stack.scan('acme/storefront')]) {
      await page.goto(url(path), { waitUntil: 'load' });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(over, path).toBeLessThanOrEqual(0);
    }
    await context.close();
  });

  it('has a picture for links to it', async () => {
    for (const path of ['/', '/rules/artipacked', COMBINATION, await stack.scan('acme/storefront')]) {
      const html = await (await fetch(url(path))).text();
      const preview = new URL(/property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '');
      const image = await fetch(url(preview.pathname + preview.search));
      expect([image.status, image.headers.get('content-type')], path).toEqual([200, 'image/png']);
    }
  });

  it('that is missing says so and links on', async () => {
    const opened = await visit(browser, url('/nothing/here'));
    expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found');
    expect(await opened.page.getByRole('heading', { name: 'Did you mean' }).count()).toBe(0);
    await checkPage(opened);
  });

  it('that is missing leads to those with a similar address', async () => {
    for (const [typed, meant] of [
      ['/rules/template-injektion', '/rules/template-injection'],
      ['/combinations/forged-pins', '/attack-paths/forged-pin'],
      ['/docs/instal', '/docs/install'],
    ] as const) {
      const opened = await visit(browser, url(typed));
      const links = opened.page.locator('section', { hasText: 'Did you mean' }).getByRole('link');
      expect(await links.first().getAttribute('href'), typed).toBe(meant);
      await checkPage(opened);
    }
  });

  it('has an icon, also if it failed early', async () => {
    const picture = await fetch(url('/favicon.ico'));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  });

  it('has no layout shift, and loads at most 150 kB of scripts', async () => {
    const report = await stack.scan('acme/storefront');
    for (const path of [
      '/',
      report,
      '/problems',
      '/rules',
      '/rules/artipacked',
      '/attack-paths',
      COMBINATION,
      '/harden',
      '/actions',
    ]) {
      const context = await browser.newContext({ viewport: { width: 375, height: 700 } });
      const page = await context.newPage();
      await page.addInitScript(() => {
        const seen = { shift: 0 };
        Reflect.set(window, 'seen', seen);
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(url(path), { waitUntil: 'networkidle' });
      const { shift, scripts } = await page.evaluate(() => ({
        shift: (Reflect.get(window, 'seen') as { shift: number }).shift,
        scripts: performance
          .getEntriesByType('resource')
          .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
          .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
      }));
      expect(shift, path).toBeLessThan(0.02);
      expect(scripts, path).toBeGreaterThan(50_000);
      expect(scripts, path).toBeLessThan(150_000);
      await context.close();
    }
  });

  it('applies the chosen theme before the first paint', async () => {
    const { page, complaints } = await visit(browser, url('/'));
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    expect(await ground()).toBe('rgb(13, 17, 23)');
    await page.goto(url('/problems'), { waitUntil: 'commit' });
    await page.locator('h1').waitFor();
    expect([await ground(), await page.locator('html').getAttribute('data-theme')]).toEqual([
      'rgb(13, 17, 23)',
      'dark',
    ]);
    await expect.poll(() => page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'System' }).check({ force: true });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    expect(complaints).toEqual([]);
  });

  it('respects reduced motion', async () => {
    const { page } = await visit(browser, url('/'), { reducedMotion: 'reduce' });
    await stack.host.addRepository({
      fullName: 'octo/still',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    stack.gate.shut();
    await stack.forgetVisitors();
    await page.getByLabel('Public repository').fill('octo/still');
    await page.keyboard.press('Enter');
    await page.getByText('Reading the workflow files').waitFor();
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
    stack.gate.open();
    await page.waitForURL('**/s/*');
  });

  it('that fails while rendering shows its id and layout, and no reason', async () => {
    const crash = await storeReport(stack, { repo: 'octo/crash', counts: [1, 0, 0, 0], topFindings: [null] });
    const response = await fetch(url(crash), { headers: { 'x-request-id': 'the-id-of-this-crash' } });
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'the-id-of-this-crash']);
    const html = await response.text();
    for (const reason of [
      'Cannot read',
      'Cannot destructure',
      'TypeError',
      'octo/crash',
      'node_modules',
      'at toReport',
    ])
      expect(html, reason).not.toContain(reason);
    expect(stack.web.output()).toMatch(/"level":"error".*"request_id":"the-id-of-this-crash"/);

    const opened = await visit(browser, url(crash), { extraHTTPHeaders: { 'x-request-id': 'the-id-of-this-visit' } });
    await opened.page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await opened.page.getByText('the-id-of-this-visit').waitFor();
    expect(await opened.page.content()).not.toMatch(/TypeError|Cannot (?:read|destructure)|node_modules/);
    for (const text of opened.complaints) expect(text).not.toMatch(/TypeError|Cannot (?:read|destructure)/);
    opened.complaints.length = 0;
    await checkPage(opened);
  });
});
