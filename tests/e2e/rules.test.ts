import { diffLines } from 'diff';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { checkPage, HAS_BROWSER, launchBrowser, visit } from '../support/browser.ts';
import { buildWeb, startWeb, type Web } from '../support/web.ts';

let web: Web;
let browser: Browser;

beforeAll(async () => {
  await buildWeb();
  // The rules need neither a database nor a code host.
  web = await startWeb({ WEB_URL: 'https://chainbreak.example' });
  if (HAS_BROWSER) browser = await launchBrowser();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await web?.stop();
});

const url = (path: string) => `${web.url}${path}`;
const linked = (html: string) => [...html.matchAll(/href="\/rules\/([a-z0-9-]+)"/g)].map(([, id = '']) => id);

/** What a visitor reads, without markup; code loses its colours. */
function textOf(html: string): string {
  return html
    .replace(/<script\b[^]*?<\/script>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

describe('the page of each rule', () => {
  it.each(rules.map((rule) => [rule.id, rule] as const))('%s', async (id, { meta }) => {
    const response = await fetch(url(`/rules/${id}`));
    const html = await response.text();
    const text = textOf(html);
    expect(response.status).toBe(200);
    expect(html.match(/<h1\b/g)).toHaveLength(1);
    // Not `not.toMatch`: a failure would print the page.
    expect(/\sstyle="|javascript:|# expect:/.exec(html)?.[0]).toBeUndefined();
    expect(/.{20}(?:undefined|\[object |NaN).{20}/.exec(text)?.[0]).toBeUndefined();
    expect(html).toContain(`<link rel="canonical" href="https://chainbreak.example/rules/${id}"/>`);
    expect(html).toContain(`<title>${escape(meta.title)} (${id}) · Chainbreak</title>`);
    expect(html).toMatch(/<meta name="description" content="[^"]{40,}"\/>/);
    expect(html).not.toMatch(/<meta name="robots" content="[^"]*noindex/);
    for (const said of [meta.why, meta.attack, meta.recommendation, meta.limits])
      expect(text).toContain(said.replaceAll('`', ''));
    for (const { description } of readRulePage(id)?.bad.flatMap(({ findings }) => findings) ?? [])
      expect(text).toContain(description);
    for (const reference of meta.references)
      expect(html).toContain(`href="${escape(reference)}" rel="noopener noreferrer nofollow"`);
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, value]) => value);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('is not there for what is no rule', async () => {
    for (const id of ['no-such-rule', 'ARTIPACKED', 'constructor', '%00', '..%2fx', 'artipacked%0a']) {
      const response = await fetch(url(`/rules/${id}`));
      expect([response.status, await response.text()], id).toEqual([404, expect.stringContaining('Page not found')]);
    }
  });
});

describe('the catalog, without a script', () => {
  const idsAt = async (query: string) => linked(await (await fetch(url(`/rules${query}`))).text());

  it('lists every rule once', async () => {
    expect((await idsAt('')).sort(compareText)).toEqual(rules.map(({ id }) => id));
  });

  it('shows what fits the address', async () => {
    const expected = rules.filter(
      ({ meta }) => meta.category === 'CICD-SEC-6' && ['MEDIUM', 'LOW'].includes(meta.severity),
    );
    const found = await idsAt('?severity=MEDIUM&severity=LOW&category=CICD-SEC-6&q=&surface=');
    expect(found.sort(compareText)).toEqual(expected.map(({ id }) => id));
    expect(await idsAt('?ruleset=slsa-source-l4&surface=repo-settings')).toContain('actions-can-approve-prs');
  });

  it('shows what it was asked for as text', async () => {
    const html = await (
      await fetch(url('/rules?q=%3Cscript%3Ealert(1)%3C/script%3E&severity=%3Cb%3E%E2%80%AE'))
    ).text();
    expect(html).not.toMatch(/<script>alert|<b>/);
    expect(textOf(html)).toContain('severity=<b><U+202E>');
  });
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  it('the catalog is filtered with the keyboard alone, without scripts', async () => {
    const { page } = await visit(browser, url('/rules'), { javaScriptEnabled: false });
    await page.getByLabel('Search').focus();
    await page.keyboard.type('checkout credential');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    // On the second severity.
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

  it('the catalog says when nothing fits, and how to get back', async () => {
    const opened = await visit(browser, url('/rules?q=pineapple&severity=HIGH&ruleset=unknown'));
    await opened.page.getByRole('heading', { name: 'No rule matches these filters' }).waitFor();
    await opened.page.getByText('ruleset=unknown').waitFor();
    await checkPage(opened);
    await opened.page.getByRole('link', { name: 'Clear filters' }).last().click();
    await opened.page.waitForURL(url('/rules'));
    await checkPage(opened);
  });

  const step = Math.ceil(rules.length / 10);
  const sample = rules.filter((_, index) => index % step === 0).map(({ id }) => id);
  it.each([...new Set([...sample, 'artipacked', 'actions-can-approve-prs', 'ref-version-mismatch'])])(
    '%s is usable in both themes and on a phone, with everything open',
    async (id) => {
      const opened = await visit(browser, url(`/rules/${id}`));
      for (const summary of await opened.page.locator('summary').all()) await summary.click();
      await checkPage(opened);
    },
  );

  it('marks the lines that are reported and says so', async () => {
    const { page } = await visit(browser, url('/rules/artipacked'));
    const marked = page
      .getByRole('region', { name: 'Vulnerable: .github/workflows/example.yml' })
      .locator('.code-line');
    const first = marked.filter({ hasText: 'Marked line' }).first();
    expect(await first.textContent()).toContain('uses: actions/checkout@v4');
    expect(await page.getByText('Line 8:').count()).toBe(1);
  });

  it('tells added and removed lines without colours', async () => {
    const example = readRulePage('artipacked')?.bad.find(({ fixed }) => fixed !== undefined);
    const changes = diffLines(example?.files[0]?.text ?? '', example?.fixed?.text ?? '');
    const lines = (kind: 'added' | 'removed') =>
      changes.flatMap((change) => (change[kind] ? change.value.trimEnd().split('\n') : []));
    expect([lines('added').length, lines('removed').length]).not.toContain(0);

    const { page } = await visit(browser, url('/rules/artipacked'));
    const rows = page.getByRole('region', { name: 'Automatic fix of the example' }).getByRole('row');
    const texts = await rows.allTextContents();
    const shown = (mark: string) => texts.flatMap((each) => each.split(mark)[1] ?? []);
    expect(shown('+Added: ')).toEqual(lines('added'));
    expect(shown('-Removed: ')).toEqual(lines('removed'));
  });

  it('copies what silences the rule', async () => {
    const { page, complaints } = await visit(browser, url('/rules/artipacked'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
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

  it('leads to the neighbours', async () => {
    const { page } = await visit(browser, url('/rules/artipacked'));
    await page.getByRole('link', { name: /^Next: / }).click();
    await page.waitForURL(url(`/rules/${rules[rules.findIndex(({ id }) => id === 'artipacked') + 1]?.id}`));
    await page.getByRole('link', { name: 'Previous: Checkout leaves a credential on disk' }).click();
    await page.waitForURL(url('/rules/artipacked'));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Checkout leaves a credential on disk');
  });
});

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;').replaceAll('<', '&lt;');
}
