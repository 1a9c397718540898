import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import { REFRESHED_ON } from '#lib/scanner/engine/data-age.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
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

const url = (path: string) => `${stack.web.url}${path}`;

describe.skipIf(!HAS_BROWSER)('a shared report', () => {
  it('shows the counts, the first three findings with their reasons, and the others as numbers', async () => {
    const path = await stack.scan('acme/storefront');
    const opened = await visit(browser, url(path));
    const { page } = opened;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('acme/storefront');
    const api = (await (await fetch(url(`/api/public-scan/${path.slice(3)}`))).json()) as {
      findings: number;
      locked_findings: number;
      counts: Record<string, number>;
      top_findings: { title: string; rule_id: string }[];
    };
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe(
      'An outsider can take over what this repository’s workflows hold',
    );
    expect(await page.getByText(`${api.findings} findings in 3 workflow files.`).count()).toBe(1);
    expect(await page.locator('dl dd').allTextContents()).toEqual(
      expect.arrayContaining(['HIGH', 'MEDIUM', 'LOW', 'INFO'].map((severity) => String(api.counts[severity]))),
    );
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual(
      expect.arrayContaining(api.top_findings.map(({ title }) => title)),
    );
    for (const { rule_id } of api.top_findings) {
      expect(await page.locator(`a[href="/rules/${rule_id}"]`).count(), rule_id).toBeGreaterThan(0);
    }
    expect(await page.getByText(`${api.locked_findings} more findings`).count()).toBe(1);
    await checkPage(opened);
  });

  it('leads with the verdict, the one thing to do, and the chain of each kind of attack path', async () => {
    const { page } = await visit(browser, url(await stack.scan('acme/storefront')), {
      viewport: { width: 390, height: 844 },
    });
    expect(
      await page.getByText(/^4 attack paths, 2 of them critical\. Fixing \d findings breaks them all\.$/).count(),
    ).toBe(1);
    const connect = page.getByRole('link', { name: 'See and fix all 31 findings' });
    expect((await connect.boundingBox())?.y).toBeLessThan(844);
    const paths = page.locator('section', { has: page.getByRole('heading', { name: 'Attack paths' }) });
    const chain = paths.locator('li', { hasText: 'Pull-request code runs next to your credentials' }).locator('ol');
    expect(await chain.locator('li').count()).toBeGreaterThanOrEqual(3);
    expect(await chain.getByText('Break the chain here').count()).toBe(1);
    expect(await page.getByText(/^\d+ of \d+ checks that ran found nothing\.$/).count()).toBe(1);
    const folded = page.locator('details', { hasText: 'Not assessed' });
    expect(await folded.locator('li').first().isVisible()).toBe(false);
    let stops = 0;
    do {
      await page.keyboard.press('Tab');
      stops += 1;
    } while (!(await connect.evaluate((link) => link === document.activeElement)) && stops < 60);
    expect(stops).toBeLessThan(16);
  });

  it('says what was scanned, when and by which version', async () => {
    const opened = await visit(browser, url(await stack.scan('acme/docs-site')));
    const { page } = opened;
    const link = page.locator('a[href*="/commit/"]');
    expect(await link.getAttribute('href')).toMatch(
      new RegExp(`^${stack.host.webUrl}/acme/docs-site/commit/[0-9a-f]{40}$`),
    );
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    const text = async () =>
      (await page.locator('header', { has: page.locator('h1') }).innerText()).replace(/\s+/g, ' ');
    expect(await text()).toMatch(
      /main .*[0-9a-f]{7}.* workflow files? Scanned by Chainbreak 0.1.0 on \d+ \w+ \d{4}, \d\d:\d\d UTC/,
    );
    expect(await text()).toContain('Suppressions in the repository');
    await expect.poll(text).toMatch(/\((?:now|\d+ seconds? ago)\)/);
  });

  it('warns of data older than thirty days, and only then', async () => {
    const day = (days: number) => new Date(Date.parse(REFRESHED_ON) + days * 24 * 3_600_000).toISOString();
    const fresh = await visit(browser, url(await storeReport(stack, { repo: 'octo/fresh', scannedAt: day(30) })));
    expect(await fresh.page.getByRole('heading', { name: 'Outdated data' }).count()).toBe(0);
    const old = await visit(browser, url(await storeReport(stack, { repo: 'octo/old', scannedAt: day(45) })));
    await old.page.getByText(`dates from ${REFRESHED_ON}, 45 days before this scan`).waitFor();
    await checkPage(old);
  });

  it('copies its link and the README badge', async () => {
    const path = await stack.scan('acme/storefront');
    const { page } = await visit(browser, url(path), { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied').waitFor();
    expect(new URL(await copied()).pathname).toBe(path);
    await page.getByRole('button', { name: 'Copy Markdown' }).click();
    await expect
      .poll(copied)
      .toMatch(/^\[!\[chainbreak\]\(.*\/api\/badge\/acme\/storefront\.svg\)\]\(.*\/r\/acme\/storefront\)$/);
    expect(await page.getByRole('img', { name: 'Badge of acme/storefront' }).count()).toBe(1);
  });

  it('is a success if all checks that ran passed, and names those that did not run', async () => {
    const complete = await visit(browser, url(await storeReport(stack, { repo: 'octo/complete' })));
    expect(await complete.page.getByRole('heading', { name: 'No findings in 2 workflow files' }).count()).toBe(1);
    expect(await complete.page.getByText('Not assessed').count()).toBe(0);
    await checkPage(complete);

    const partial = await visit(browser, url(await stack.scan('acme/clean')));
    await partial.page.getByText(/^All \d+ checks that ran passed\. \d+ more need access/).waitFor();
    await partial.page.getByText(/^Not assessed: \d+ checks could not run$/).click();
    expect(await partial.page.locator('a[href="/rules/ref-version-mismatch"]').isVisible()).toBe(true);
    await checkPage(partial);
  });

  it('reports that there is nothing to check', async () => {
    const empty = await visit(browser, url(await stack.scan('globex/scratch')));
    expect(await empty.page.getByText('The repository is empty').count()).toBe(1);
    await checkPage(empty);
    const none = await visit(browser, url(await storeReport(stack, { repo: 'octo/none', files: 0 })));
    expect(await none.page.getByRole('heading', { name: 'No workflows' }).count()).toBe(1);
    expect(await none.page.locator('img[alt="Badge of octo/none"]').getAttribute('src')).toContain('no%20workflows');
    await checkPage(none);
  });

  it('keeps its layout with extreme numbers and names, and reveals hidden characters', async () => {
    const opened = await visit(
      browser,
      url(
        await storeReport(stack, {
          repo: `${'o'.repeat(39)}/${'n'.repeat(100)}`,
          branch: `release/\u202Egnp.\u200B<script>alert(1)</script>${'x'.repeat(120)}`,
          files: 12_345,
          counts: [1, 0, 4_321, 1_234_567],
          commit: 'a'.repeat(40),
          topFindings: [
            { severity: 'HIGH', category: 'CICD-SEC-4', rule_id: 'retired-rule', title: '<b>No markup</b>' },
            { severity: 'LOW', category: 'CICD-SEC-3', rule_id: 'adhoc-packages', title: 'Low' },
            { severity: 'LOW', category: 'CICD-SEC-3', rule_id: 'adhoc-packages', title: 'Low' },
          ],
          notAssessed: [
            { rule_id: 'unpinned-uses', reason: 'rate_limited' },
            { rule_id: 'artipacked', reason: 'rule_error' },
          ],
        }),
      ),
    );
    const { page } = opened;
    expect(await page.getByText('release/<U+202E>gnp.<U+200B><script>alert(1)</script>').count()).toBe(1);
    expect(await page.getByRole('heading', { name: '<b>No markup</b>' }).count()).toBe(1);
    expect(await page.getByText('1,238,889 findings in 12,345 workflow files').count()).toBeGreaterThan(0);
    await page.getByText('Not assessed: 2 checks could not run').click();
    expect(await page.getByText('That is our bug').isVisible()).toBe(true);
    await checkPage(opened);
  });

  it('scans again once the result is an hour old, and links a newer report', async () => {
    await stack.host.addRepository({
      fullName: 'octo/again',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const old = await storeReport(stack, { repo: 'octo/again', scannedAt: yesterday });
    await stack.forgetVisitors();
    const { page, complaints } = await visit(browser, url(old));
    await page.getByRole('button', { name: 'Scan again' }).click();
    await page.waitForURL((to) => to.pathname !== old && to.pathname.startsWith('/s/'));
    expect(await page.getByRole('button', { name: 'Scan again' }).isDisabled()).toBe(true);
    await page.getByText(/^You can rescan at /).waitFor();
    await page.goto(url(old));
    expect(await page.getByText('There is a newer scan of this repository').count()).toBe(1);
    await page.getByRole('link', { name: 'Open the newest report' }).click();
    await page.waitForURL(url('/r/octo/again'));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('octo/again');
    expect(await page.getByText('There is a newer scan').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('has one address per repository for the newest, hidden from search engines, or an offer to scan', async () => {
    await stack.scan('acme/storefront');
    const response = await fetch(url('/r/Acme/STOREFRONT'));
    expect([response.status, response.headers.get('x-robots-tag')]).toEqual([200, 'noindex, nofollow']);
    const html = await response.text();
    expect(html).toContain('<meta name="robots" content="noindex, nofollow"/>');
    const preview = new URL(/property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '');
    expect((await fetch(url(preview.pathname + preview.search))).headers.get('content-type')).toBe('image/png');
    for (const wrong of ['/r/octo/never', '/r/a%20b/c', '/r/%2e%2e/x', '/r/octo'])
      expect((await fetch(url(wrong))).status, wrong).toBe(404);
    await stack.host.addRepository({
      fullName: 'octo/unseen',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    const opened = await visit(browser, url('/r/octo/unseen'));
    await opened.page.getByRole('heading', { name: 'No report yet' }).waitFor();
    await checkPage(opened);
    await stack.forgetVisitors();
    await opened.page.getByRole('button', { name: 'Scan it' }).click();
    await opened.page.waitForURL('**/s/*');
    expect((await fetch(url('/r/octo/unseen'))).status).toBe(200);
  });

  it('explains at the button why a new scan is refused, and keeps the focus there', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const { page } = await visit(browser, url(await storeReport(stack, { repo: 'octo/gone', scannedAt: yesterday })));
    await stack.database.sql("delete from public.public_scans where repo = 'octo/gone'");
    await stack.forgetVisitors();
    await page.getByRole('button', { name: 'Scan again' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No public repository of this name').waitFor();
    expect(await page.getByRole('button', { name: 'Scan again' }).isEnabled()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Scan again');
  });

  it('needs JavaScript only for what requires it', async () => {
    await stack.host.addRepository({
      fullName: 'octo/plain',
      files: { '.github/workflows/a.yml': 'on: push\njobs: {}\n' },
    });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const path = await storeReport(stack, { repo: 'octo/plain', scannedAt: yesterday, counts: [1, 0, 0, 0] });
    const { page } = await visit(browser, url(path), { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 2 }).count()).toBeGreaterThanOrEqual(3);
    expect(await page.getByRole('button', { name: 'Copy link' }).isVisible()).toBe(false);
    await stack.forgetVisitors();
    await page.getByRole('button', { name: 'Scan again' }).click();
    await page.waitForURL((to) => to.pathname !== path && to.pathname.startsWith('/s/'));
  });

  it('is hidden from search engines, and a wrong link is a real 404', async () => {
    const path = await stack.scan('acme/storefront');
    const response = await fetch(url(path));
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(await response.text()).toContain('<meta name="robots" content="noindex, nofollow"/>');
    for (const wrong of ['/s/nothing-is-here-at-all', '/s/%00', `/s/${'x'.repeat(65)}`, `${path}/opengraph-image/x`]) {
      const missing = await fetch(url(wrong));
      expect([missing.status, missing.headers.get('x-request-id')], wrong).toEqual([
        404,
        expect.stringMatching(/.{36}/),
      ]);
    }
    const opened = await visit(browser, url('/s/nothing-is-here-at-all'));
    expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found');
    await checkPage(opened);
  });
});

describe.skipIf(!HAS_BROWSER)('private details', () => {
  it('are in no byte of the page, its data or its image', async () => {
    const path = await stack.scan('acme/storefront');
    const { apiUrl, graphqlUrl, publicToken } = stack.host;
    const codeHost = createCodeHost({ apiUrl, graphqlUrl, token: publicToken });
    const { files } = await codeHost.readPublicRepository('acme', 'storefront');
    const { findings } = scanRepository(createRepository(files, 'acme'));
    const { top_findings: shown } = (await (await fetch(url(`/api/public-scan/${path.slice(3)}`))).json()) as {
      top_findings: { title: string }[];
    };
    const titles = new Set(shown.map(({ title }) => title));
    const locked = findings.filter(({ title }) => !titles.has(title));
    const secret = new Set(
      [
        ...findings.flatMap(({ file, description, recommendation, snippet, fingerprint, line }) => [
          file,
          file?.split('/').at(-1),
          description,
          recommendation,
          snippet,
          fingerprint,
          `line ${line}`,
          `"line":${line}`,
          `#L${line}`,
        ]),
        ...locked.map(({ title }) => title),
        ...locked.map(({ ruleId }) => `/rules/${ruleId}`),
      ]
        .filter((text) => text !== null && text !== undefined)
        .flatMap((text) => (text.includes('`') ? text.split('`').filter((part) => part.trim().length > 15) : [text])),
    );
    expect(findings.length).toBeGreaterThan(20);
    expect(locked.length).toBeGreaterThan(5);

    const html = await (await fetch(url(path))).text();
    const data = await fetch(url(`${path}?_rsc=1`), { headers: { rsc: '1' } });
    expect(data.headers.get('content-type')).toContain('text/x-component');
    const preview = new URL(/property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '');
    const image = await fetch(url(preview.pathname + preview.search));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = [html, await data.text(), Buffer.from(await image.arrayBuffer()).toString('latin1')];
    const { page: live } = await visit(browser, url(path));
    bytes.push(await live.content());
    for (const text of bytes) {
      const plain = text
        .replaceAll('&#x27;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&');
      for (const hidden of secret) expect(plain.includes(hidden) || text.includes(hidden), hidden).toBe(false);
    }
  });
});
