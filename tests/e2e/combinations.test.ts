import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { listCombinations, readCombinationPage } from '#lib/services/pages/combination-page.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { FULL } from '../support/effort.ts';
import { expectCombinationPage, expectHead } from '../support/expect-page.ts';
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

const KINDS = ['forged-pin', 'fork-code-with-credentials', 'untrusted-run-to-release-cache', combos[0]?.id];
const kinds = combos.filter(({ id }) => KINDS.includes(id));
const served = FULL ? combos : kinds;
const looked = FULL ? combos.filter((combo, index) => index % 6 === 0 || kinds.includes(combo)) : kinds;
describe('the page of an attack path', () => {
  it.each(served.map((combo) => [combo.id, combo] as const))('%s', async (id, combo) => {
    const response = await fetch(url(`/attack-paths/${id}`));
    const html = await response.text();
    expect(response.status).toBe(200);
    expectCombinationPage(combo, html);
    expectHead(html, { title: `${combo.title} (${id})`, path: `/attack-paths/${id}` });
  });

  it('is 404 for an unknown combination', async () => {
    for (const id of ['no-such-combination', 'FORGED-PIN', 'constructor', '%00', '..%2fx', 'forged-pin%0a']) {
      const response = await fetch(url(`/attack-paths/${id}`));
      expect([response.status, await response.text()], id).toEqual([404, expect.stringContaining('Page not found')]);
    }
  });
});

describe('the former address of attack paths', () => {
  it.each([
    ['/combinations', '/attack-paths'],
    ['/combinations/forged-pin', '/attack-paths/forged-pin'],
  ])('%s moved for good, and says so with a request id', async (from, to) => {
    const response = await fetch(url(from), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, to]);
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it('leads nowhere from unknown names', async () => {
    for (const id of ['no-such-path', '..%2fx', '%2f%2fevil.example', 'forged-pin/more', 'constructor']) {
      const response = await fetch(url(`/combinations/${id}`), { redirect: 'manual' });
      expect([response.status, response.headers.get('location')], id).toEqual([404, null]);
    }
  });
});

describe('the list of attack paths, without JavaScript', () => {
  it('shows every combination once, worst first, with its impact and fix', async () => {
    const html = await (await fetch(url('/attack-paths'))).text();
    const text = textOf(html);
    expect(linkedIds(html, 'attack-paths')).toEqual(listCombinations().map(({ id }) => id));
    for (const { impact, title } of combos) {
      expect(text).toContain(impact.replaceAll('`', ''));
      expect(text).toContain(title);
    }
    expect(linkedIds(html, 'rules')).toEqual(listCombinations().flatMap(({ breakRules }) => breakRules));
  });
});

describe('the page of a rule', () => {
  it('links the combinations of the rule', async () => {
    const html = await (await fetch(url('/rules/unpinned-uses'))).text();
    expect(linkedIds(html, 'attack-paths')).toEqual(
      expect.arrayContaining(['mutable-action-beside-oidc', 'provenance-without-isolation']),
    );
    expect(linkedIds(await (await fetch(url('/rules/missing-timeout'))).text(), 'attack-paths')).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  it('the list is usable in both themes and on a phone', async () => {
    await checkPage(await visit(browser, url('/attack-paths')));
  });

  it.each(looked.map(({ id }) => id))(
    '%s is usable in both themes and on a phone, with everything open',
    async (id) => {
      const opened = await visit(browser, url(`/attack-paths/${id}`));
      for (const summary of await opened.page.locator('summary').all()) await summary.click();
      await checkPage(opened);
    },
  );

  it('is reachable from the navigation, and links rules both ways, by keyboard', async () => {
    const { page } = await visit(browser, url('/'), { javaScriptEnabled: false });
    const press = async (name: string, path: string) => {
      await page.getByRole('link', { name }).first().focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(url(path));
    };
    await press('Attack paths', '/attack-paths');
    await press(
      'Outsider’s run poisons the cache that a release restores',
      '/attack-paths/untrusted-run-to-release-cache',
    );
    await press('cache-poisoning', '/rules/cache-poisoning');
    await press(
      'Outsider’s run poisons the cache that a release restores',
      '/attack-paths/untrusted-run-to-release-cache',
    );
    await press('Next: ', `/attack-paths/${readCombinationPage('untrusted-run-to-release-cache')?.next?.id}`);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it('draws the stages in order and where they break', async () => {
    const { page } = await visit(browser, url('/attack-paths/untrusted-run-to-release-cache'));
    const stages = page.getByRole('region', { name: 'Step by step' }).getByRole('listitem');
    expect(await stages.count()).toBe(5);
    const texts = await stages.allTextContents();
    expect(texts.map((text) => text.includes('Break the chain here'))).toEqual([false, false, true, false, false]);
    expect(texts[2]).toContain('Do not restore caches in jobs that publish.');
    expect(texts[4]).toContain('Impact');
  });
});
