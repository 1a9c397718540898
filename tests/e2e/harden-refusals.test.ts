import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { addGreeter, field, harden, openOptions, press, result, WORKFLOW } from '../support/hardener.ts';
import { type Stack, sharedStack } from '../support/stack.ts';
import { bareWeb, type Web } from '../support/web.ts';

let stack: Stack;
let browser: Browser;
let bare: Web;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser, bare] = await Promise.all([sharedStack(), sharedBrowser(), bareWeb()]);
  await addGreeter(stack);
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

const address = () => `${stack.web.url}/harden`;

describe.skipIf(!HAS_BROWSER)('a refusal of the hardener says what to do next', () => {
  it('names the place in an invalid workflow, and links to it', async () => {
    const opened = await visit(browser, address());
    const { page } = opened;
    await harden(page, `${WORKFLOW}on: push\n`);
    const alert = page.getByRole('alert');
    await alert.getByText('This is not a valid workflow').waitFor();
    await alert.getByText(/^Line 20, column 1: /).waitFor();
    await alert.getByRole('button', { name: 'Go to line 20' }).click();
    const selected = await field(page).evaluate((area) => {
      const { value, selectionStart, selectionEnd } = area as HTMLTextAreaElement;
      return [document.activeElement === area, value.slice(selectionStart, selectionEnd)];
    });
    expect(selected).toEqual([true, 'on: push']);
    opened.complaints.length = 0;
    await checkPage(opened);
  });

  it('without a text, a category or a name that can be used', async () => {
    const opened = await visit(browser, address());
    const { page } = opened;
    const alert = page.getByRole('alert');
    await harden(page, ' \n');
    await alert.getByText('There is no workflow in the request.').waitFor();
    await openOptions(page);
    await page.getByLabel('File name').fill('../up.yml');
    await harden(page, WORKFLOW);
    await alert.getByText('Invalid file name').waitFor();
    await page.getByLabel('File name').fill('ok.yml');
    await page.getByRole('button', { name: 'Select none' }).click();
    await press(page);
    await alert.getByText('No category selected').waitFor();
    await page.getByRole('button', { name: 'Select all' }).click();
    await field(page).evaluate((area) => {
      (area as HTMLTextAreaElement).value = `#${'x'.repeat(256 * 1024)}`;
    });
    await press(page);
    await alert.getByText('The limit is 256 KiB.').waitFor();
    opened.complaints.length = 0;
    await checkPage(opened);
  });

  it('with the time to come back, when there were too many', async () => {
    const opened = await visit(browser, address());
    const { page } = opened;
    for (let count = 0; count < 5; count += 1)
      await fetch(`${stack.web.url}/api/public/harden`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    await harden(page, WORKFLOW);
    const alert = page.getByRole('alert');
    await alert.getByText('Too many requests in the last minute').waitFor();
    await alert.getByText(/Try again in \d+ seconds?, at \d\d:\d\d:\d\d\.$/).waitFor();
    expect(await field(page).inputValue()).toBe(WORKFLOW);
    opened.complaints.length = 0;
    await checkPage(opened);
  });

  it('with a way around the versions, when they could not be looked up', async () => {
    const opened = await visit(browser, address());
    const { page } = opened;
    const steps = Array.from({ length: 51 }, (_, index) => `      - uses: octo/greet@v${index}\n`).join('');
    await harden(page, WORKFLOW + steps);
    const alert = page.getByRole('alert');
    await alert.getByText('The request timed out').waitFor();
    await alert.getByText('leave CICD-SEC-3 out').waitFor();
    opened.complaints.length = 0;
    await checkPage(opened);
    await alert.getByRole('button', { name: 'Harden without CICD-SEC-3' }).click();
    await result(page).waitFor();
    await openOptions(page);
    expect(await page.getByRole('checkbox', { name: /^CICD-SEC-3 / }).isChecked()).toBe(false);
    expect(opened.complaints).toEqual([]);
  });

  it('when the connection breaks', async () => {
    const { page } = await visit(browser, address());
    await page.route('**/api/public/harden', (route) => route.abort());
    await harden(page, WORKFLOW);
    await page.getByRole('alert').getByText('The connection was lost').waitFor();
    expect(await field(page).inputValue()).toBe(WORKFLOW);
  });

  it('with the id to report, when something fails here', async () => {
    const { page } = await visit(browser, address());
    const problem = { code: 'internal', request_id: 'the-id-of-this-failure' };
    await page.route('**/api/public/harden', (route) => route.fulfill({ status: 500, json: problem }));
    await harden(page, WORKFLOW);
    await page.getByRole('alert').getByText('the-id-of-this-failure').waitFor();
    expect(await page.getByRole('alert').getByText('Try again in a few minutes.').count()).toBe(1);
  });

  it('where it is switched off, and without scripts', async () => {
    const off = await visit(browser, `${bare.url}/harden`);
    await off.page.getByText('Hardening is disabled on this server').waitFor();
    await checkPage(off);
    const { page } = await visit(browser, address(), { javaScriptEnabled: false });
    expect(await page.locator('noscript').first().innerText()).toContain('This form needs JavaScript');
    expect(await page.getByRole('button', { name: 'Harden', exact: true }).isVisible()).toBe(false);
  });
});
