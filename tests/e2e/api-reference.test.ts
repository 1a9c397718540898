import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, type Visit, visit } from '../support/browser.ts';
import { startWeb, type Web } from '../support/web.ts';

let web: Web;
let browser: Browser;

beforeAll(async () => {
  web = await startWeb({});
  if (HAS_BROWSER) browser = await sharedBrowser();
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await web?.stop();
});

const url = (path: string) => `${web.url}${path}`;

async function open(path: string): Promise<Visit> {
  const opened = await visit(browser, url(path));
  await opened.page.locator('.opblock').first().waitFor();
  return opened;
}

function operationsOf(page: Page): Promise<string[]> {
  return page.locator('.opblock-summary').evaluateAll((summaries) =>
    summaries.map((summary) => {
      const method = summary.querySelector('.opblock-summary-method')?.textContent;
      return `${method} ${summary.querySelector('[data-path]')?.getAttribute('data-path')}`;
    }),
  );
}

const expected = (part: 'public' | 'full') =>
  Object.entries(openApiDocument(part, '')['paths'] as Record<string, object>).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
  );

describe('without scripts', () => {
  it.each(['public', 'full'] as const)('names each operation of the %s part, and the document', async (part) => {
    const html = await (await fetch(url(`/docs/api?part=${part}`))).text();
    const [fallback = ''] = /<noscript>[^]*?<\/noscript>/.exec(html) ?? [];
    const listed = OPERATIONS.filter(({ access }) => part === 'full' || access === 'public');
    for (const { verb, path, summary } of listed) {
      expect(fallback).toMatch(`${verb}<!-- --> <!-- -->${path}`);
      expect(fallback).toContain(summary.replaceAll("'", '&#x27;'));
    }
    expect(fallback.match(/<tr/g)).toHaveLength(listed.length + 1);
    expect(html).toContain(`href="/openapi.${part === 'full' ? 'full.' : ''}json"`);
  });
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  it('shows the public document, and sends no other request', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(url('/docs/api'));
    await page.locator('.opblock').first().waitFor();
    expect((await operationsOf(page)).sort()).toEqual(expected('public').sort());
    expect(asked).toContain(url('/openapi.json'));
    expect(asked.filter((address) => !address.startsWith(web.url) && !address.startsWith('data:'))).toEqual([]);
    await context.close();
  });

  it('can switch to the whole API', async () => {
    const { page } = await open('/docs/api');
    await page.getByRole('link', { name: 'Full API' }).click();
    await page.waitForURL(url('/docs/api?part=full'));
    await page.locator('.opblock').first().waitFor();
    expect((await operationsOf(page)).sort()).toEqual(expected('full').sort());
    expect(await page.getByRole('link', { name: 'Full API' }).getAttribute('aria-current')).toBe('page');
  });

  it('opens an operation with the keyboard and sends it', async () => {
    const { page } = await open('/docs/api');
    await page.getByRole('button', { name: /^GET .*health Check/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Try it out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Execute' }).focus();
    await page.keyboard.press('Enter');
    const answer = page.locator('.live-responses-table');
    await answer.getByText('"status": "ok"').waitFor();
    expect(await answer.locator('.response-col_status').last().textContent()).toContain('200');
    expect(page.url()).toBe(url('/docs/api#/Service/getHealth'));
  });

  it('opens the operation in the URL', async () => {
    const { page } = await open('/docs/api#/Public%20scans/createPublicScan');
    const named = page.locator('.opblock.is-open');
    await named.getByRole('heading', { name: 'Request body' }).waitFor();
    expect(await named.count()).toBe(1);
  });

  it('sends the token with a request, and never shows it', async () => {
    const { page } = await open('/docs/api?part=full#/Rules/listRules');
    await page.getByLabel('Access token').fill('the-token-of-somebody');
    await page.getByRole('button', { name: 'Try it out' }).click();
    const sent = page.waitForRequest(url('/api/rules'));
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await sent).headers()['authorization']).toBe('Bearer the-token-of-somebody');
    await page.locator('.curl-command').getByText('Bearer $TOKEN').waitFor();
    expect(await page.content()).not.toContain('the-token-of-somebody');
    expect(
      await page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map((kept) => Object.entries(kept)))),
    ).not.toContain('somebody');
  });

  it('reports a document that fails to load', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route('**/openapi.json', (route) => route.abort());
    await page.goto(url('/docs/api'));
    await page.getByRole('alert').getByText('Operations could not be loaded').waitFor();
    expect(await page.getByRole('link', { name: 'the OpenAPI document' }).getAttribute('href')).toBe('/openapi.json');
    await context.close();
  });

  it('is usable in both themes and on a phone', async () => {
    await checkPage(await open('/docs/api?part=full'));
  });

  it('is usable with everything open and tried out', async () => {
    const opened = await open('/docs/api');
    const { page } = opened;
    for (const button of await page.locator('.opblock-summary-control').all()) await button.click();
    const tries = page.getByRole('button', { name: 'Try it out' });
    while ((await tries.count()) > 0) await tries.first().click();
    await page.getByRole('button', { name: 'Execute' }).first().click();
    await page.locator('.live-responses-table').waitFor();
    await page.getByRole('button', { name: 'Schemas' }).click();
    await checkPage(opened);
  }, 240_000);
});
