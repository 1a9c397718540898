import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { textOf } from '../support/html.ts';
import { bareWeb, type Web } from '../support/web.ts';

type Operation = Readonly<{ operationId: string; summary: string; responses: Readonly<Record<string, unknown>> }>;

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

const operationsOf = (part: 'public' | 'full') =>
  Object.entries(openApiDocument(part, '')['paths'] as Record<string, Record<string, Operation>>).flatMap(
    ([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
  );

describe('the API reference, without a script', () => {
  it.each(['public', 'full'] as const)('has each operation of the %s part once, with how to call it', async (part) => {
    const html = await (await fetch(url(`/docs/api?part=${part}`))).text();
    const operations = operationsOf(part);
    expect(operations.length).toBeGreaterThan(5);
    expect(html.match(/<article/g)).toHaveLength(operations.length);
    const articles = html.split('<article').slice(1);
    for (const [index, { path, verb, operation }] of operations.entries()) {
      const article = articles.find((each) => each.includes(`id="${operation.operationId}"`)) ?? '';
      const text = textOf(`<article${article}`);
      expect(text, `${index} ${operation.operationId}`).toContain(operation.summary);
      expect(text).toContain(path);
      expect(text).toContain(verb === 'GET' ? 'curl "http' : `curl -X ${verb} "http`);
      expect(text).toContain(`Answers: ${Object.keys(operation.responses).join(', ')}`);
      expect(html).toContain(`href="#${operation.operationId}"`);
    }
    expect(html).toContain(`href="/openapi.${part === 'full' ? 'full.' : ''}json"`);
    expect(/(?:undefined|\[object )/.exec(textOf(html))?.[0]).toBeUndefined();
  });

  it('lists nested fields with their type and meaning', async () => {
    const text = textOf(await (await fetch(url('/docs/api'))).text());
    expect(text).toContain('top_findings[].title');
    expect(text).toContain('counts.HIGH');
    expect(text).toContain('owner/repo, or a pasted URL of the code host');
  });
});

describe.skipIf(!HAS_BROWSER)('the API reference in a browser', () => {
  it('sends no request of its own, and less than 250 kB of scripts', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url('/docs/api?part=full'), { waitUntil: 'networkidle' });
    const resources = await page.evaluate(() =>
      performance.getEntriesByType('resource').map((entry) => ({
        name: entry.name,
        size: (entry as PerformanceResourceTiming).encodedBodySize,
      })),
    );
    expect(resources.filter(({ name }) => !name.startsWith(web.url))).toEqual([]);
    expect(resources.filter(({ name }) => name.includes('openapi'))).toEqual([]);
    const scripts = resources.filter(({ name }) => new URL(name).pathname.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(250_000);
    await context.close();
  });

  it('offers a command that works as it stands', async () => {
    const { page } = await visit(browser, url('/docs/api'), { permissions: ['clipboard-read', 'clipboard-write'] });
    const article = page.locator('article', { has: page.locator('#getHealth') });
    await article.getByRole('button', { name: 'Copy' }).click();
    await article.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [, address = ''] = /^curl "([^"]+)"\n$/.exec(command) ?? [];
    const answer = execFileSync('curl', ['-s', url(new URL(address).pathname)], { encoding: 'utf8' });
    expect(JSON.parse(answer)).toEqual({ status: 'ok' });
  });

  it('can switch to the whole API, and leads to one operation', async () => {
    const { page } = await visit(browser, url('/docs/api'));
    await page.getByRole('link', { name: 'Full API' }).click();
    await page.waitForURL(url('/docs/api?part=full'));
    expect(await page.getByRole('link', { name: 'Full API' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('link', { name: 'Scan a public repository' }).first().click();
    await page.waitForURL(url('/docs/api?part=full#createPublicScan'));
    expect(await page.locator('#createPublicScan').isVisible()).toBe(true);
  });

  it('is usable in both themes and on a phone, with everything open', async () => {
    const opened = await visit(browser, url('/docs/api?part=full'));
    await opened.page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await checkPage(opened);
  }, 240_000);
});
