import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { addGreeter, field, harden, openOptions, press, result, WORKFLOW } from '../support/hardener.ts';
import { type Stack, sharedStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;
let commit = '';

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([sharedStack(), sharedBrowser()]);
  commit = await addGreeter(stack);
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

beforeEach(() => stack?.forgetVisitors());
afterEach(async () => {
  stack?.gate.open();
  stack?.host.clearFaults();
  await endVisits(browser);
});

const FIXED = WORKFLOW.replace(
  '- run: echo "${{ github.event.pull_request.title }}"',
  [
    '- env:',
    '          PULL_REQUEST_TITLE: ${{ github.event.pull_request.title }}',
    '        run: echo "${PULL_REQUEST_TITLE}"',
  ].join('\n'),
);

const address = () => `${stack.web.url}/harden`;
const changes = (page: Page) => page.getByRole('region', { name: 'What changed in workflow.yml' });

const DANGEROUS = `on: pull_request_target
permissions: write-all
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: git fetch origin "pull/\${{ github.event.number }}/head" && git checkout FETCH_HEAD
      - run: npm install
      - run: echo "\${{ github.event.pull_request.title }}"
        env:
          TOKEN: \${{ secrets.TOKEN }}
`;

describe.skipIf(!HAS_BROWSER)('the hardener', () => {
  it('shows what changed, for which category and rule, and what stays and why', async () => {
    const opened = await visit(browser, address(), { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    await checkPage(opened);
    await harden(page, WORKFLOW);
    await result(page).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('result');
    const fixed = FIXED.replace('greet@v1', `greet@${commit} # v1.2.3`);

    await page.getByRole('heading', { name: 'CICD-SEC-3 Dependency chain abuse' }).waitFor();
    await page.getByRole('heading', { name: 'CICD-SEC-4 Poisoned pipeline execution' }).waitFor();
    expect(await changes(page).getByRole('link').allTextContents()).toEqual(['unpinned-uses', 'template-injection']);
    const rows = await changes(page).getByRole('row').allTextContents();
    expect(rows.filter((row) => row.includes('-Removed: '))).toHaveLength(2);
    expect(rows.filter((row) => row.includes('+Added: '))).toHaveLength(4);
    expect(rows.some((row) => row.includes('make five'))).toBe(false);
    await changes(page)
      .getByRole('button', { name: /^Show \d+ unchanged lines$/ })
      .last()
      .click();
    await changes(page).getByText('- run: make five').waitFor();

    const stays = page.getByRole('region', { name: 'Not fixed, and why' }).getByRole('listitem');
    expect(await stays.filter({ hasText: 'unpinned-uses' }).count()).toBe(1);
    const ranks = ['High', 'Medium', 'Low', 'Info'];
    for (const list of await page.getByRole('region', { name: 'Not fixed, and why' }).getByRole('list').all()) {
      const order = (await list.getByRole('listitem').allTextContents()).map((text) =>
        ranks.findIndex((rank) => text.trim().startsWith(rank)),
      );
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
    const top = await result(page).boundingBox();
    expect(top?.y).toBeLessThan(200);
    await checkPage(opened);

    await page.getByRole('button', { name: 'Copy fixed workflow' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(fixed);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('workflow.yml');
    expect(await readFile(await download.path(), 'utf8')).toBe(fixed);

    await page.getByLabel('Side by side').check();
    const pair = changes(page).getByRole('row').filter({ hasText: 'uses: octo/greet' });
    expect(await pair.getByRole('cell').allTextContents()).toEqual([
      '8',
      '-Removed:       - uses: octo/greet@v1',
      '8',
      `+Added:       - uses: octo/greet@${commit} # v1.2.3`,
    ]);
    await checkPage(opened);
    await page.setViewportSize({ width: 375, height: 700 });
    await page.getByLabel('Side by side').waitFor({ state: 'detached' });
    expect(await pair.count()).toBe(2);
  });

  it('fixes only what is chosen, by keyboard alone', async () => {
    const { page, complaints } = await visit(browser, address());
    await field(page).fill(WORKFLOW);
    await openOptions(page);
    await page.getByRole('button', { name: 'Select none' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: /^CICD-SEC-4 / }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Harden', exact: true }).focus();
    await page.keyboard.press('Enter');
    await result(page).waitFor();
    expect(await changes(page).getByRole('heading').allTextContents()).toEqual([
      'Change 1 of 1: CICD-SEC-4 Poisoned pipeline execution',
    ]);
    expect(complaints).toEqual([]);
  });

  it('leads with what stays dangerous, and applies fixes that need review with one click', async () => {
    const { page, complaints } = await visit(browser, address());
    await harden(page, DANGEROUS);
    await page.getByText(/^Still dangerous: \d+ high findings? (?:is|are) left$/).waitFor();
    const before = await page.getByRole('region', { name: 'Not fixed, and why' }).getByRole('listitem').count();
    await page.getByRole('button', { name: 'Apply changes that need review' }).click();
    await page.getByRole('button', { name: 'Apply changes that need review' }).waitFor({ state: 'detached' });
    await result(page).waitFor();
    expect(await page.getByLabel('Also apply changes that need review').isChecked()).toBe(true);
    expect(await page.getByRole('region', { name: 'Not fixed, and why' }).getByRole('listitem').count()).toBeLessThan(
      before,
    );
    expect(complaints).toEqual([]);
  });

  it('opens with the example of a rule, and with nothing for an unknown one', async () => {
    const { page } = await visit(browser, `${address()}?rule=template-injection`);
    expect(await field(page).inputValue()).toMatch(/\$\{\{ github\./);
    await press(page);
    await result(page).waitFor();
    expect(await changes(page).getByRole('link', { name: 'template-injection' }).count()).toBeGreaterThan(0);
    const unknown = await visit(browser, `${address()}?rule=%3Cscript%3E`);
    expect(await field(unknown.page).inputValue()).toBe('');
  });

  it('includes fixes to review when asked', async () => {
    const { page } = await visit(browser, address());
    const asked = page.waitForRequest('**/api/public/harden');
    await page.getByLabel('Also apply changes that need review').check();
    await harden(page, WORKFLOW);
    expect((await asked).postDataJSON()).toEqual({
      workflow: WORKFLOW,
      filename: 'workflow.yml',
      include_review: true,
    });
    await result(page).waitFor();
  });

  it('opens a file with its name, and keeps its line breaks', async () => {
    const { page } = await visit(browser, address());
    const text = WORKFLOW.replaceAll('\n', '\r\n');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Open file' }).click(),
    ]);
    await chooser.setFiles({ name: 'my greet.yml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
    await expect.poll(() => page.getByLabel('File name').inputValue()).toBe('my-greet.yml');
    const asked = page.waitForRequest('**/api/public/harden');
    await press(page);
    expect((await asked).postDataJSON()).toMatchObject({ workflow: text });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(
      FIXED.replace('greet@v1', `greet@${commit} # v1.2.3`).replaceAll('\n', '\r\n'),
    );
  });

  it('accepts a file dropped anywhere', async () => {
    const { page } = await visit(browser, address());
    const drop = (name: string, bytes: readonly number[]) =>
      page.evaluate(
        ([fileName, content]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array(content)], fileName));
          document.querySelector('h1')?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
        },
        [name, bytes] as const,
      );
    await drop('ci.yml', [...Buffer.from('on: push\n')]);
    await expect.poll(() => field(page).inputValue()).toBe('on: push\n');
    await drop('picture.png', [0x89, 0x50, 0xff, 0x00]);
    await page.getByRole('alert').getByText('This is not a text file').waitFor();
    await drop(
      'huge.yml',
      Array.from({ length: 256 * 1024 + 1 }, () => 0x23),
    );
    await page.getByRole('alert').getByText('The file is too large').waitFor();
    expect(await field(page).inputValue()).toBe('on: push\n');
  });

  it('shows progress, and can be cancelled', async () => {
    stack.gate.shut();
    const opened = await visit(browser, address());
    const { page } = opened;
    await harden(page, WORKFLOW.replace('greet@v1', 'greet@v1.2.3'));
    await page.getByRole('status').getByText('Hardening workflow.yml').waitFor();
    await page.getByText('Looking up action versions at').waitFor();
    expect(await page.getByRole('button', { name: 'Hardening' }).isDisabled()).toBe(true);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByText('Hardening workflow.yml').count()).toBe(0);
    stack.gate.open();
    await press(page);
    await result(page).waitFor();
  });

  it('reports that nothing needs to change', async () => {
    const opened = await visit(browser, address());
    await openOptions(opened.page);
    await opened.page.getByRole('button', { name: 'Select none' }).click();
    await opened.page.getByRole('checkbox', { name: /^CICD-SEC-4 / }).check();
    await harden(opened.page, FIXED);
    await opened.page.getByText('Nothing was changed').waitFor();
    expect(await opened.page.getByRole('button', { name: 'Download' }).count()).toBe(0);
    await checkPage(opened);
  });

  it('offers a sample', async () => {
    const { page } = await visit(browser, address());
    await page.getByRole('button', { name: 'Try a sample' }).click();
    await openOptions(page);
    await page.getByRole('checkbox', { name: /^CICD-SEC-3 / }).uncheck();
    await press(page);
    await result(page).waitFor();
    expect(await changes(page).getByRole('link', { name: 'template-injection' }).count()).toBeGreaterThan(0);
  });
});

describe.skipIf(!HAS_BROWSER)('a workflow of 256 KiB', () => {
  // Retries, since a busy machine can delay one frame.
  it('is drawn in portions around its changes, without blocking the page', { retry: 2 }, async () => {
    const opened = await visit(browser, address());
    const { page } = opened;
    const line = '      - run: make all the things that this job is for\n';
    const count = Math.floor((256 * 1024) / line.length);
    const text = line.repeat(count);
    const changed = Array.from({ length: count / 5 }, (_, index) => index * 5 + 1);
    const lines = text.split('\n').map((each, index) => (index % 5 === 0 ? each.replace('make', 'just') : each));
    const reply = {
      hardened: lines.join('\n'),
      diff: '',
      changed: true,
      categories: [
        {
          category: 'CICD-SEC-4',
          title: 'Poisoned Pipeline Execution (PPE)',
          applied: true,
          fixes: changed.map((at) => ({ rule_id: 'template-injection', line: at, description: 'Something.' })),
          hunks: changed.map((at) => ({ old_start: at, old_lines: 1, new_start: at, new_lines: 1 })),
        },
      ],
      unattributed_hunks: [],
      refused: changed.map((at) => ({ rule_id: 'artipacked', line: at, reason: 'For a person to decide.' })),
      remaining: { HIGH: 0, MEDIUM: 0, LOW: count, INFO: 0 },
    };
    await page.route('**/api/public/harden', (route) => route.fulfill({ json: reply }));
    await page.evaluate(() => {
      const seen = { longest: 0 };
      Reflect.set(window, 'seen', seen);
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: 'longtask' });
    });
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Open file' }).click(),
    ]);
    await chooser.setFiles({ name: 'workflow.yml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
    await expect.poll(() => field(page).evaluate((area) => (area as HTMLTextAreaElement).textLength)).toBe(text.length);
    await press(page);
    await result(page).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(1_000);
    await page.getByRole('button', { name: /^Show more changes/ }).click();
    await page.getByLabel('Side by side').check();
    await field(page).press('x');
    expect(await page.evaluate(() => (Reflect.get(window, 'seen') as { longest: number }).longest)).toBeLessThan(1_000);
    expect(opened.complaints).toEqual([]);
  });
});
