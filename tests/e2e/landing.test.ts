import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { type Stack, sharedStack, storeReport } from '../support/stack.ts';
import { bareWeb, startWeb, type Web } from '../support/web.ts';

let stack: Stack;
let browser: Browser;
let bare: Web;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([sharedStack(), sharedBrowser()]);
  bare = await bareWeb();
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await Promise.all([stack?.stop(), bare?.stop()]);
});

beforeEach(() => stack?.forgetVisitors());
afterEach(async () => {
  stack?.gate.open();
  stack?.host.clearFaults();
  await endVisits(browser);
});

const start = (path = '/') => `${stack.web.url}${path}`;
const GRAPHQL = { match: 'POST /api/graphql', times: 2 } as const;

describe.skipIf(!HAS_BROWSER)('the start page', () => {
  it('accepts every repository format of the API, with and without JavaScript', async () => {
    const forms = ['acme/clean', 'acme/clean.git', `${stack.host.webUrl}/acme/clean/tree/main?x=1`, ' acme/clean '];
    for (const javaScriptEnabled of [true, false]) {
      for (const form of javaScriptEnabled ? forms : forms.slice(0, 2)) {
        await stack.forgetVisitors();
        const { page, complaints } = await visit(browser, start(), { javaScriptEnabled });
        await page.getByLabel('Public repository').fill(form);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/s/*');
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('acme/clean');
        expect(complaints).toEqual([]);
      }
    }
  });

  it('starts examples with one click, with and without JavaScript, and lists no repository that others scanned', async () => {
    await stack.scan('globex/firmware');
    for (const javaScriptEnabled of [true, false]) {
      const example = await visit(browser, start(), { javaScriptEnabled });
      expect(await example.page.content()).not.toContain('globex/firmware');
      await example.page.getByRole('button', { name: 'acme/storefront' }).first().click();
      await example.page.waitForURL('**/s/*');
    }
  });

  it('shows a real attack path with its break, the command line, and how to sign in', async () => {
    const { page } = await visit(browser, start());
    const chain = page.locator('section', { has: page.getByRole('heading', { name: 'A real attack path' }) });
    expect(await chain.getByText('Nx (s1ngularity), 2025').count()).toBe(1);
    expect(await chain.locator('ol > li').count()).toBeGreaterThanOrEqual(4);
    expect(await chain.getByText('Break the chain here').count()).toBe(1);
    const signIn = page.getByRole('link', { name: 'Sign in with the local code host' });
    expect(await signIn.getAttribute('href')).toBe('/o');
    for (const path of ['/docs/install', '/docs/ci', '/docs', '/docs/precision'])
      expect(await page.locator(`main a[href="${path}"]`).count(), path).toBeGreaterThan(0);
    const precision = readFileSync('docs/precision.md', 'utf8');
    const row = /\*\*all: HIGH findings\*\* \| \*\*(\d+)\*\* \| \*\*(\d+)\*\* \| \*\*(\d+)\*\*/;
    const [, repositories, high, right] = row.exec(precision) ?? [];
    expect(await page.getByText(`${right} of ${high}`, { exact: true }).count()).toBe(1);
    expect(
      await page.getByText(`HIGH findings true, on ${repositories} repositories never scanned before`).count(),
    ).toBe(1);
  });

  it('hides meaningless figures, and shows others', async () => {
    const { page } = await visit(browser, start());
    expect(await page.content()).not.toContain('0k+');
    await storeReport(stack, { repo: 'octo/many', files: 1_200, counts: [0, 0, 0, 45_678] });
    // Other files of this worker stored reports in the same database.
    await stack.database.sql("update public.public_scans set latest = true where repo = 'octo/many'");
    const fresh = await startWeb({
      SUPABASE_URL: stack.database.url,
      SUPABASE_PUBLISHABLE_KEY: stack.database.publishableKey,
      SUPABASE_SECRET_KEY: stack.database.secretKey,
    });
    const counted = await visit(browser, fresh.url);
    expect(await counted.page.getByText('45k+').count()).toBe(1);
    expect(await counted.page.getByText('repositories scanned', { exact: true }).count()).toBe(0);
    await checkPage(counted);
    await fresh.stop();
  });

  it('is accessible in both themes, on a phone, and without a database', async () => {
    await checkPage(await visit(browser, start()));
    const without = await visit(browser, bare.url);
    await without.page.getByLabel('Public repository').fill('acme/clean');
    await without.page.keyboard.press('Enter');
    await without.page.getByRole('alert').getByText('Scans are disabled on this server').waitFor();
    expect(await without.page.getByText('Try one of these').count()).toBe(0);
    without.complaints.length = 0;
    await checkPage(without);
  });

  it('shows the server’s progress and the elapsed time', async () => {
    await stack.host.addRepository({
      fullName: 'octo/slow',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    stack.gate.shut();
    const opened = await visit(browser, start());
    const { page } = opened;
    await page.clock.install();
    await page.getByLabel('Public repository').fill('octo/slow');
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
    await page.getByText('Reading the workflow files at the local code host.').waitFor();
    expect(await page.getByRole('button', { name: 'Scanning' }).isDisabled()).toBe(true);
    await page.clock.fastForward('00:20');
    await page.getByText(/^2\d s$/).waitFor();
    await page.getByText('You can close the page').waitFor();
    await checkPage(opened);
    stack.gate.open();
    await page.waitForURL('**/s/*');
    await page.goBack();
    expect(await page.getByRole('button', { name: 'Scan', exact: true }).isEnabled()).toBe(true);
  });

  it('joins a running scan of someone else', async () => {
    await stack.host.addRepository({
      fullName: 'octo/shared',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    stack.gate.shut();
    const first = stack.scan('octo/shared');
    const claimed = () => stack.database.sql("select from public.public_scan_claims where repo_key = 'octo/shared'");
    await expect.poll(claimed).toHaveLength(1);
    const { page } = await visit(browser, start());
    await page.getByLabel('Public repository').fill('octo/shared');
    await page.keyboard.press('Enter');
    await page.getByText('This repository is already being scanned').waitFor();
    stack.gate.open();
    const report = await first;
    await page.waitForURL(`**${report}`);
    expect(report).toMatch(/^\/s\/[\w-]{22}$/);
  });

  it('works by keyboard alone, from the skip link to the report', async () => {
    const { page } = await visit(browser, start());
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    expect(await page.getByText('Skip to content').isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('repo');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid');
    await page.keyboard.type('acme/clean');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForURL('**/s/*');
  });
});

describe.skipIf(!HAS_BROWSER)('a refused scan says why and what to do next', () => {
  const cases = [
    {
      name: 'what names no repository',
      repo: 'https://elsewhere.example/acme/clean',
      looks: true,
      says: 'That doesn’t look like a repository',
      next: 'Type owner/repo',
    },
    {
      name: 'a repository that is private or missing',
      repo: 'acme/payments',
      says: 'No public repository of this name',
      looks: true,
      next: 'the app scans private ones too',
    },
    {
      name: 'a code host that fails',
      repo: 'acme/helpdesk',
      says: 'The code host did not answer',
      looks: true,
      next: 'Try again in a few minutes.',
      prepare: () => stack.host.fault({ ...GRAPHQL, effect: { kind: 'status', status: 502 } }),
    },
    {
      name: 'a code host that asks to wait',
      repo: 'acme/helpdesk',
      says: 'The code host limits our requests',
      next: /Try again in \d+ seconds?\./,
      prepare: () =>
        stack.host.fault({
          ...GRAPHQL,
          effect: { kind: 'secondary-limit', status: 403, retryAfterSeconds: 2 },
        }),
      // The next file shares the server, which scans nothing until the wait is over.
      after: async (scripts: boolean) => {
        const fullName = `octo/after-a-wait-${scripts}`;
        stack.host.clearFaults();
        await stack.host.addRepository({ fullName, files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' } });
        await expect.poll(() => stack.scan(fullName), { interval: 500 }).toMatch(/^\/s\//);
      },
    },
    {
      name: 'too many scans',
      repo: 'acme/clean',
      says: 'Too many scans in the last minute',
      next: /Try again in \d+ seconds?\./,
      prepare: async () => {
        for (let n = 0; n < 5; n += 1)
          await fetch(start('/scan'), { method: 'POST', body: new URLSearchParams({ repo: 'x' }), redirect: 'manual' });
      },
    },
  ];

  it.each(
    cases.flatMap((one) => [
      { ...one, scripts: true },
      { ...one, scripts: false },
    ]),
  )('$name (scripts: $scripts)', async ({ repo, says, next, prepare, after, looks, scripts }) => {
    await prepare?.();
    const opened = await visit(browser, start(), { javaScriptEnabled: scripts });
    const { page } = opened;
    await page.getByLabel('Public repository').fill(repo);
    await page.getByRole('button', { name: 'Scan', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(says).first().waitFor();
    if (scripts) expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Scan');
    expect(await page.locator('#scan-problem').getByText(next).count()).toBe(1);
    expect(await page.getByLabel('Public repository').inputValue()).toBe(repo);
    expect(await page.getByRole('button', { name: 'Scan', exact: true }).isEnabled()).toBe(true);
    if (!scripts) expect(await page.title()).toContain(says);
    expect(opened.complaints.filter((text) => !text.includes('status of 429'))).toEqual([]);
    if (looks && scripts) await checkPage(opened);
    await after?.(scripts);
  });

  it('escapes the URL’s contents, and shows only our own sentences', async () => {
    const query = new URLSearchParams({ repo: '"><script>alert(1)</script>', problem: 'rate-limited', wait: '1e99' });
    const { page, complaints } = await visit(browser, start(`/?${query.toString()}`));
    expect(await page.getByLabel('Public repository').inputValue()).toBe('"><script>alert(1)</script>');
    expect(await page.getByText('Try again in 1 second.').count()).toBe(1);
    expect(complaints).toEqual([]);
    const unknown = await visit(browser, start('/?problem=%3Cb%3E&wait=-1&repo[]=x&repo=a&repo=b'));
    expect(await unknown.page.locator('#scan-problem').count()).toBe(0);
  });
});
