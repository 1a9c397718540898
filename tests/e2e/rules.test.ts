import { diffLines } from 'diff';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, type Visit, visit } from '../support/browser.ts';
import { FULL } from '../support/effort.ts';
import { expectHead, expectRulePage } from '../support/expect-page.ts';
import { linkedIds, textOf } from '../support/html.ts';
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

const KINDS = ['artipacked', 'actions-can-approve-prs', 'ref-version-mismatch', rules[0]?.id, rules.at(-1)?.id];
const kinds = rules.filter(({ id }) => KINDS.includes(id));
const served = FULL ? rules : kinds;
const looked = FULL ? rules.filter((rule, index) => index % 12 === 0 || kinds.includes(rule)) : kinds;
describe('the page of a rule', () => {
  it.each(served.map((rule) => [rule.id, rule] as const))('%s', async (id, rule) => {
    const response = await fetch(url(`/rules/${id}`));
    const html = await response.text();
    expect(response.status).toBe(200);
    expectRulePage(rule, html);
    expectHead(html, { title: `${rule.meta.title} (${id})`, path: `/rules/${id}` });
  });

  it('is 404 for an unknown rule', async () => {
    for (const id of ['no-such-rule', 'ARTIPACKED', 'constructor', '%00', '..%2fx', 'artipacked%0a']) {
      const response = await fetch(url(`/rules/${id}`));
      expect([response.status, await response.text()], id).toEqual([404, expect.stringContaining('Page not found')]);
    }
  });
});

describe('the catalog, without a script', () => {
  const idsAt = async (query: string) => linkedIds(await (await fetch(url(`/rules${query}`))).text(), 'rules');

  it('lists every rule once', async () => {
    expect((await idsAt('')).sort(compareText)).toEqual(rules.map(({ id }) => id));
  });

  it('applies the filter in the URL', async () => {
    const expected = rules.filter(
      ({ meta }) => meta.category === 'CICD-SEC-6' && ['MEDIUM', 'LOW'].includes(meta.severity),
    );
    const found = await idsAt('?severity=MEDIUM&severity=LOW&category=CICD-SEC-6&q=&surface=');
    expect(found.sort(compareText)).toEqual(expected.map(({ id }) => id));
    expect(await idsAt('?ruleset=slsa-source-l4&surface=repo-settings')).toContain('actions-can-approve-prs');
  });

  it('shows the search text without interpreting it', async () => {
    const html = await (
      await fetch(url('/rules?q=%3Cscript%3Ealert(1)%3C/script%3E&severity=%3Cb%3E%E2%80%AE'))
    ).text();
    expect(html).not.toMatch(/<script>alert|<b>/);
    expect(textOf(html)).toContain('severity=<b><U+202E>');
  });
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  let shown: Promise<Visit> | undefined;
  const artipacked = () => {
    shown ??= visit(browser, url('/rules/artipacked'), { permissions: ['clipboard-read', 'clipboard-write'] });
    shown.catch(() => {
      shown = undefined;
    });
    return shown;
  };

  it('the catalog can be filtered by keyboard alone, without JavaScript', async () => {
    const { page } = await visit(browser, url('/rules'), { javaScriptEnabled: false });
    await page.getByLabel('Search').focus();
    await page.keyboard.type('checkout credential');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/rules?q=checkout+credential&**');
    expect(new URL(page.url()).searchParams.getAll('severity')).toEqual(['MEDIUM']);
    expect(await page.getByLabel('Search').inputValue()).toBe('checkout credential');
    expect(await page.getByLabel(/^Medium/).isChecked()).toBe(true);
    expect(await page.getByRole('link', { name: 'Checkout leaves a credential on disk' }).count()).toBe(1);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.waitForURL(url('/rules'));
  });

  it('the catalog filters as one types, and keeps the field', async () => {
    const { page, complaints } = await visit(browser, url('/rules'), { viewport: { width: 390, height: 844 } });
    expect((await page.locator('tbody tr').first().boundingBox())?.y).toBeLessThan(844);
    await page.getByLabel('Search').pressSequentially('impostor');
    await page.waitForURL('**/rules?q=impostor');
    await page.getByText(/^\d+ of \d+ rules/).waitFor();
    expect(await page.locator('a[href="/rules/impostor-commit"]').count()).toBe(1);
    expect(await page.locator('a[href="/rules/artipacked"]').count()).toBe(0);
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('impostor');
    expect(complaints).toEqual([]);
  });

  it('the catalog says of each rule what an attacker gains, and which fix themselves', async () => {
    const html = textOf(await (await fetch(url('/rules'))).text());
    for (const { meta } of kinds)
      expect(html).toContain((meta.attack.split(/\.(?:\s|$)/)[0] ?? '').replaceAll('`', ''));
    const { page } = await visit(browser, url('/rules?q=unpinned-uses'));
    expect(await page.locator('tr', { hasText: 'unpinned-uses' }).getByText('Fixable').last().isVisible()).toBe(true);
  });

  it('a rule leads to the hardener with its example', async () => {
    const { page } = await artipacked();
    expect((await page.getByRole('heading', { name: 'Why it matters' }).boundingBox())?.y).toBeLessThan(500);
    expect(await page.getByRole('link', { name: 'Try it in the hardener' }).getAttribute('href')).toBe(
      '/harden?rule=artipacked',
    );
  });

  it('the catalog explains an empty result, and how to reset it', async () => {
    const opened = await visit(browser, url('/rules?q=pineapple&severity=HIGH&ruleset=unknown'));
    await opened.page.getByRole('heading', { name: 'No rule matches these filters' }).waitFor();
    await opened.page.getByText('ruleset=unknown').waitFor();
    await checkPage(opened);
    await opened.page.getByRole('link', { name: 'Clear filters' }).last().click();
    await opened.page.waitForURL(url('/rules'));
    await checkPage(opened);
  });

  it.each(looked.map(({ id }) => id))(
    '%s is usable in both themes and on a phone, with everything open',
    async (id) => {
      const opened = await visit(browser, url(`/rules/${id}`));
      for (const summary of await opened.page.locator('summary').all()) await summary.click();
      await checkPage(opened);
    },
  );

  it('marks the lines that are reported and says so', async () => {
    const { page } = await artipacked();
    const marked = page
      .getByRole('region', { name: 'Vulnerable: .github/workflows/example.yml' })
      .locator('.code-line');
    const first = marked.filter({ hasText: 'Marked line' }).first();
    expect(await first.textContent()).toContain('uses: actions/checkout@v4');
    expect(await page.getByText('Line 8:').count()).toBe(1);
  });

  it('distinguishes added and removed lines without colours', async () => {
    const example = readRulePage('artipacked')?.bad.find(({ fixed }) => fixed !== undefined);
    const changes = diffLines(example?.files[0]?.text ?? '', example?.fixed?.text ?? '');
    const lines = (kind: 'added' | 'removed') =>
      changes.flatMap((change) => (change[kind] ? change.value.trimEnd().split('\n') : []));
    expect([lines('added').length, lines('removed').length]).not.toContain(0);

    const { page } = await artipacked();
    const rows = page.getByRole('region', { name: 'Automatic fix of the example' }).getByRole('row');
    const texts = await rows.allTextContents();
    const shown = (mark: string) => texts.flatMap((each) => each.split(mark)[1] ?? []);
    expect(shown('+Added: ')).toEqual(lines('added'));
    expect(shown('-Removed: ')).toEqual(lines('removed'));
  });

  it('copies the suppression comment', async () => {
    const { page, complaints } = await artipacked();
    await page.getByRole('button', { name: 'Copy comment' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      '# chainbreak: ignore[artipacked] Why it is safe here',
    );
    await page.getByRole('button', { name: 'Copy entry' }).click();
    await page.getByText('Copied').nth(1).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'ignore:\n  - rule: artipacked\n    path: .github/workflows/example.yml\n    reason: Why it is safe here\n',
    );
    expect(complaints).toEqual([]);
  });

  it('links the previous and next rule', async () => {
    const { page } = await artipacked();
    await page.getByRole('link', { name: /^Next: / }).click();
    await page.waitForURL(url(`/rules/${rules[rules.findIndex(({ id }) => id === 'artipacked') + 1]?.id}`));
    await page.getByRole('link', { name: 'Previous: Checkout leaves a credential on disk' }).click();
    await page.waitForURL(url('/rules/artipacked'));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Checkout leaves a credential on disk');
  });
});
