import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { listCombinations, readCombinationPage } from '#lib/services/pages/combination-page.ts';
import { checkPage, HAS_BROWSER, launchBrowser, visit } from '../support/browser.ts';
import { buildWeb, startWeb, type Web } from '../support/web.ts';

let web: Web;
let browser: Browser;

beforeAll(async () => {
  await buildWeb();
  // Combinations need neither a database nor a code host.
  web = await startWeb({ WEB_URL: 'https://chainbreak.example' });
  if (HAS_BROWSER) browser = await launchBrowser();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await web?.stop();
});

const url = (path: string) => `${web.url}${path}`;
const linked = (html: string, folder: string) =>
  [...html.matchAll(new RegExp(`href="/${folder}/([a-z0-9-]+)"`, 'g'))].map(([, id = '']) => id);

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

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;').replaceAll('<', '&lt;');
}

describe('the page of each combination', () => {
  it.each(combos.map((combo) => [combo.id, combo] as const))('%s', async (id, combo) => {
    const response = await fetch(url(`/combinations/${id}`));
    const html = await response.text();
    const text = textOf(html);
    expect(response.status).toBe(200);
    expect(html.match(/<h1\b/g)).toHaveLength(1);
    expect(/\sstyle="|javascript:/.exec(html)?.[0]).toBeUndefined();
    expect(/.{20}(?:undefined|\[object |NaN).{20}/.exec(text)?.[0]).toBeUndefined();
    expect(html).toContain(`<link rel="canonical" href="https://chainbreak.example/combinations/${id}"/>`);
    expect(html).toContain(`<title>${escape(combo.title)} (${id}) · Chainbreak</title>`);
    // Not `toMatch`: a failure would print the page.
    expect(/<meta name="description" content="[^"]{40,}"\/>/.test(html)).toBe(true);
    expect(/<meta name="robots" content="[^"]*noindex/.test(html)).toBe(false);
    const said = [
      combo.impact,
      combo.breakChain.text,
      ...combo.stages.flatMap(({ title, description }) => [title, description]),
      ...(combo.modifiers ?? []).map(({ because }) => because),
      ...(readCombinationPage(id)?.bad.flatMap(({ findings }) => findings.map(({ description }) => description)) ?? []),
      ...(readCombinationPage(id)?.incidents.map(({ what }) => what) ?? []),
    ];
    for (const sentence of said) expect(text).toContain(sentence.replaceAll('`', ''));
    expect(text.match(/Break the chain here/g)).toHaveLength(1);
    for (const reference of combo.references)
      expect(html).toContain(`href="${escape(reference)}" rel="noopener noreferrer nofollow"`);
    const needed = Object.values(combo.slots).flatMap(({ any }) =>
      any.flatMap((each) => ('rule' in each ? each.rule : [])),
    );
    expect(linked(html, 'rules')).toEqual(expect.arrayContaining(needed));
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, value]) => value);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('is not there for what is no combination', async () => {
    for (const id of ['no-such-combination', 'FORGED-PIN', 'constructor', '%00', '..%2fx', 'forged-pin%0a']) {
      const response = await fetch(url(`/combinations/${id}`));
      expect([response.status, await response.text()], id).toEqual([404, expect.stringContaining('Page not found')]);
    }
  });
});

describe('the list, without a script', () => {
  it('has every combination once, the worst first, with what it costs and what breaks it', async () => {
    const html = await (await fetch(url('/combinations'))).text();
    const text = textOf(html);
    expect(linked(html, 'combinations')).toEqual(listCombinations().map(({ id }) => id));
    for (const { impact, title } of combos) {
      expect(text).toContain(impact.replaceAll('`', ''));
      expect(text).toContain(title);
    }
    expect(linked(html, 'rules')).toEqual(listCombinations().flatMap(({ breakRules }) => breakRules));
  });
});

describe('the page of a rule', () => {
  it('leads to the combinations that the rule takes part in', async () => {
    const html = await (await fetch(url('/rules/unpinned-uses'))).text();
    expect(linked(html, 'combinations')).toEqual(
      expect.arrayContaining(['mutable-action-beside-oidc', 'provenance-without-isolation']),
    );
    expect(linked(await (await fetch(url('/rules/missing-timeout'))).text(), 'combinations')).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  it('the list is usable in both themes and on a phone', async () => {
    await checkPage(await visit(browser, url('/combinations')));
  });

  const step = Math.ceil(combos.length / 6);
  const sample = combos.filter((_, index) => index % step === 0).map(({ id }) => id);
  it.each([...new Set([...sample, 'forged-pin', 'fork-code-with-credentials', 'untrusted-run-to-release-cache'])])(
    '%s is usable in both themes and on a phone, with everything open',
    async (id) => {
      const opened = await visit(browser, url(`/combinations/${id}`));
      for (const summary of await opened.page.locator('summary').all()) await summary.click();
      await checkPage(opened);
    },
  );

  it('is found from the bar at the top, and leads to a rule and back, by keyboard', async () => {
    const { page } = await visit(browser, url('/'), { javaScriptEnabled: false });
    const press = async (name: string, path: string) => {
      await page.getByRole('link', { name }).first().focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(url(path));
    };
    await press('Attack paths', '/combinations');
    await press('Outsider run poisons the cache a release restores', '/combinations/untrusted-run-to-release-cache');
    await press('cache-poisoning', '/rules/cache-poisoning');
    await press('Outsider run poisons the cache a release restores', '/combinations/untrusted-run-to-release-cache');
    await press('Next: ', `/combinations/${readCombinationPage('untrusted-run-to-release-cache')?.next?.id}`);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it('draws the stages in their order and where they break', async () => {
    const { page } = await visit(browser, url('/combinations/untrusted-run-to-release-cache'));
    const stages = page.getByRole('region', { name: 'Step by step' }).getByRole('listitem');
    expect(await stages.count()).toBe(5);
    const texts = await stages.allTextContents();
    expect(texts.map((text) => text.includes('Break the chain here'))).toEqual([false, false, true, false, false]);
    expect(texts[2]).toContain('Restore no cache in jobs that publish.');
    expect(texts[4]).toContain('Impact');
  });
});
