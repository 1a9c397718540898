import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { callApi, PEOPLE, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { walkByTab } from '../support/tab-walk.ts';

const KIND = 'event-text-to-shell-with-credentials';

let stack: Stack;
let browser: Browser;
let team: string;
let repositories: ReadonlyMap<string, string>;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  const { page } = await visitAs(stack, browser, 'ada', '/setup');
  ({ id: team } = (await callApi(page, '/api/orgs', { name: 'Acme' })) as { id: string });
  await callApi(page, `/api/scm/callback?installation_id=${PEOPLE.ada}&org=${team}`);
  const listed = (await callApi(page, `/api/repos?org=${team}`)) as {
    readonly repositories: readonly { readonly id: string; readonly full_name: string }[];
  };
  repositories = new Map(listed.repositories.map((each) => [each.full_name, each.id]));
  for (const id of repositories.values()) await callApi(page, '/api/scan', { repo_id: id });
  const invite = { email: 'mel@acme.example', role: 'member' };
  const { invite_id: id } = (await callApi(page, `/api/orgs/${team}/invites`, invite)) as { invite_id: string };
  const mel = await visitAs(stack, browser, 'mel', '/setup');
  await callApi(mel.page, `/api/invites/${id}/accept`, undefined, 'POST');
  await endVisits(browser);
}, 240_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(async () => {
  await endVisits(browser);
  await stack?.forgetVisitors();
});

async function findingOf(repository: string, rule: string): Promise<string> {
  const [row] = await stack.database.sql<{ readonly fingerprint: string }>(
    'select fingerprint from public.finding_ledger where repo_id = $1 and rule_id = $2 order by fingerprint limit 1',
    [repositories.get(repository), rule],
  );
  return `/o/${team}/findings/${repositories.get(repository)}/${row?.fingerprint}`;
}

async function tabThrough(page: Page): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    const name = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.closest('[aria-label="Picture of the attack path"]') ? activeElement.textContent : null;
    });
    if (name === null) return names;
    names.push(name);
    await page.keyboard.press('Tab');
  }
}

const FAR = 'Attack paths of 4200 of 10000 repositories are computed so far.';

it.skipIf(!HAS_BROWSER)('paths that are being computed show how far that is, and come by themselves', async () => {
  const { page } = await visitAs(stack, browser, 'ada', `/o/${team}`);
  let isComputed = false;
  await page.route('**/api/attack-paths?*', (route) =>
    isComputed
      ? route.continue()
      : route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          headers: { 'retry-after': '1' },
          body: JSON.stringify({ code: 'not-configured', detail: FAR }),
        }),
  );
  for (const path of [`/o/${team}`, `/o/${team}/paths`]) {
    isComputed = false;
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('status').filter({ hasText: FAR }).waitFor();
    isComputed = true;
    await page.getByText('11 attack paths', { exact: true }).first().waitFor();
    expect(await page.getByText(FAR).count()).toBe(0);
  }
});

describe.skipIf(!HAS_BROWSER)('the overview', () => {
  it('begins with what came since the last look, and ends with the trend, the fixes and the coverage', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}`);
    const { page } = opened;
    await page.getByRole('heading', { name: '11 attack paths' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Since you last looked' }).count()).toBe(0);
    await page.evaluate(() => {
      const looks = JSON.parse(localStorage.getItem('chainbreak.looks') ?? '{}') as Record<string, { latest: string }>;
      for (const look of Object.values(looks)) look.latest = new Date(Date.now() - 86_400_000).toISOString();
      localStorage.setItem('chainbreak.looks', JSON.stringify(looks));
    });
    await page.reload();
    const since = page.getByRole('region', { name: 'Since you last looked' });
    await since.getByText('82 new findings, 11 new attack paths, 0 scans by push').waitFor();
    expect(await since.getByRole('listitem').filter({ hasText: 'High' }).count()).toBe(5);
    await page.getByText('11 high. No findings were recorded 30 days ago.').waitFor();
    await page.getByRole('img', { name: /^Open findings by severity/ }).waitFor();
    await page.getByText('Show as table').click();
    const today = page
      .getByRole('table', { name: /^Days on which/ })
      .getByRole('row')
      .nth(1);
    expect(await today.getByRole('cell').allTextContents()).toEqual(['11', '24', '35', '12']);
    await page.getByText('All were scanned').waitFor();
    await page.getByText('No fix pull requests yet.').waitFor();
    await checkPage(opened);

    await page.reload();
    await since.waitFor();
    await page.getByRole('link', { name: 'Findings 82' }).click();
    await page.waitForURL('**/findings');
  });

  it('shows a repository that was never scanned in its coverage, and counts triage at once', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}`);
    await page.getByRole('link', { name: '11 High' }).waitFor();
    const address = (await findingOf('acme/helpdesk', 'template-injection')).split('/');
    const [repo, fingerprint] = [address[4], address[5]];
    const decide = (status: string) =>
      callApi(page, `/api/repositories/${repo}/findings/${fingerprint}/status`, { status }, 'PUT');
    await decide('dismissed');
    await stack.database.sql("update public.repositories set last_scan_id = null where full_name = 'acme/clean'");
    await page.reload();
    await page.getByRole('link', { name: '10 High' }).waitFor();
    await page.getByRole('link', { name: '1 never scanned' }).waitFor();
    expect(await page.getByText('All were scanned').count()).toBe(0);
    await decide('open');
    await callApi(page, '/api/scan', { repo_id: repositories.get('acme/clean') });
  });
});

describe.skipIf(!HAS_BROWSER)('the fix of a finding', () => {
  it('is previewed hunk by hunk with its rule, copies as a patch and leads to a campaign', async () => {
    const opened = await visitAs(stack, browser, 'ada', await findingOf('acme/helpdesk', 'template-injection'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Preview the fix' }).click();
    const diff = page.getByRole('region', { name: '.github/workflows/commands.yml', exact: true });
    await diff.getByRole('link', { name: 'template-injection' }).waitFor();
    expect(await diff.getByText('Added: ').count()).toBeGreaterThan(1);
    await checkPage(opened);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as patch' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^--- .*\n\+\+\+ .*\n@@ /m);
    await page.getByRole('link', { name: 'Fix in a pull request' }).click();
    await page.getByRole('heading', { name: 'Step 3 of 3: Preview' }).waitFor();
    await page.getByRole('button', { name: 'Open pull requests in 1 repository' }).waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByText('1 of at most 500 selected').waitFor();
  });

  it('counts no fix as verified on a server that receives no webhooks', async () => {
    const helpdesk = repositories.get('acme/helpdesk') ?? '';
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/campaigns/new?repo=${helpdesk}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Choose repositories' }).click();
    await page.getByRole('button', { name: 'Preview the fixes in 1 repository' }).click();
    await page.getByRole('button', { name: 'Open pull requests in 1 repository' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await page.getByText('1 repository: 1 succeeded.').waitFor();
    const stages = page.getByRole('table', { name: 'Fixes by stage' });
    await stages.getByRole('row', { name: /^Merged/ }).waitFor();
    expect(await stages.getByRole('row', { name: /^Verified/ }).count()).toBe(0);
    await page.getByText('This server receives no merge events, so no fix counts as verified.').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { rollup } = (await callApi(page, `/api/campaigns/${id}`)) as { readonly rollup: object };
    expect(rollup).toHaveProperty('prs_merged');
    expect(rollup).not.toHaveProperty('prs_verified');
    await checkPage(opened);
  });

  it('that does not exist says why, and members see who may open pull requests', async () => {
    const opened = await visitAs(stack, browser, 'mel', await findingOf('acme/helpdesk', 'dangerous-triggers'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Preview the fix' }).click();
    await page.getByText('There is no safe fix.').waitFor();
    await page.getByText('1 finding without a safe fix').waitFor();
    await checkPage(opened);
    await page.goto(`${stack.web.url}${await findingOf('acme/helpdesk', 'template-injection')}`);
    await page.getByRole('button', { name: 'Preview the fix' }).click();
    await page.getByText('Only an admin may open fix pull requests: ada@acme.example').waitFor();
    expect(await page.getByRole('link', { name: 'Fix in a pull request' }).count()).toBe(0);
  });
});

describe.skipIf(!HAS_BROWSER)('the keyboard', () => {
  it('opens a palette of pages, repositories and rules', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const { page } = opened;
    await page.locator('[data-finding]').first().waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    const field = palette.getByRole('combobox', { name: 'Page, repository, rule or organization' });
    await palette.getByRole('option', { name: 'Overview' }).waitFor();
    await checkPage(opened);
    await field.fill('helpd');
    await palette.getByRole('option', { name: 'acme/helpdesk' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'acme/helpdesk' }).waitFor();
    await page.getByRole('button', { name: 'Go to' }).click();
    await palette.waitFor();
    await field.fill('template-inj');
    await palette.getByRole('option', { name: 'template-injection' }).click();
    await page.waitForURL('**/findings?rule=template-injection');
    await page.keyboard.press('Control+k');
    await field.fill('scan all');
    await palette.getByRole('option', { name: 'Scan all repositories' }).click();
    await page.getByText('7 of 7 repositories scanned.').first().waitFor();
    await page.getByRole('link', { name: 'acme/helpdesk' }).click();
    await page.getByRole('img', { name: 'Open findings by severity after each scan' }).waitFor();
    expect(
      await page
        .getByRole('table', { name: /^Scans of this repository/ })
        .getByRole('row')
        .count(),
    ).toBeGreaterThan(2);
    await checkPage(opened);
  });

  it('takes what is typed before the palette is loaded', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    await page.locator('[data-finding]').first().waitFor();
    let load = () => {};
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/_next/static/**', async (route) => {
      await loading;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('textbox').waitFor();
    await page.keyboard.type('goes nowhere');
    load();
    await palette.getByText('Nothing has this name.').waitFor();
    await palette.getByRole('combobox').fill('helpd');
    await palette.getByRole('option', { name: 'acme/helpdesk' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/o/${team}/findings`);
  });

  it('opens sections with g and a letter, lists its shortcuts, and can be switched off', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const { page } = opened;
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL('**/repositories');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { level: 1, name: 'Repositories' }).waitFor();
    await page.keyboard.press('Shift+?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Undo the last decision').waitFor();
    await checkPage(opened);
    await help.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.keyboard.press('Shift+?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    expect(await help.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe(`/o/${team}/repositories`);
  });
});

describe.skipIf(!HAS_BROWSER)('Tab', () => {
  it.each([
    ['a page of the dashboard', 1280],
    ['a page of the dashboard', 390],
    ['a public page', 1280],
    ['a public page', 390],
  ])(
    'visits each control of %s once, in the order in which people read, and shows where it is, at %i px',
    async (kind, width) => {
      const path =
        kind === 'a public page'
          ? await stack.scan('acme/storefront')
          : `/o/${team}/findings?repo=${repositories.get('acme/storefront')}`;
      const { page } = await visitAs(stack, browser, 'ada', path);
      await page.setViewportSize({ width, height: 900 });
      await page
        .getByText(/^(?:36|31) findings/)
        .first()
        .waitFor();
      const { stops, faults } = await walkByTab(page);
      expect(faults).toEqual([]);
      expect(stops.length).toBeGreaterThan(20);
      expect(stops[0]).toContain('Skip to content');
    },
  );

  it('goes on, after a dialog was closed, from what opened it', async () => {
    const { page } = await visitAs(stack, browser, 'ada', `/o/${team}/findings?group=none`);
    const finding = page.locator('[data-finding]').first();
    const hasFocus = (opener: Locator) =>
      expect.poll(() => opener.evaluate((each) => each === document.activeElement)).toBe(true);
    const closes = async (dialog: string, opener: Locator) => {
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: dialog }).waitFor({ state: 'hidden' });
      await hasFocus(opener);
    };
    await finding.focus();
    await page.keyboard.press('Enter');
    await closes('Finding', finding);
    await page.keyboard.press('Shift+?');
    await closes('Keyboard shortcuts', finding);
    await page.keyboard.press('Control+k');
    await closes('Go to', finding);
    const goTo = page.getByRole('button', { name: /^Go to/ });
    await goTo.press('Enter');
    await closes('Go to', goTo);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const snooze = page.getByRole('button', { name: 'Snooze' });
    await snooze.press('Enter');
    await closes('Snooze: 50 findings', snooze);
    await page.setViewportSize({ width: 390, height: 900 });
    const open = page.getByRole('button', { name: 'Open the navigation' });
    await open.press('Enter');
    await closes('Navigation', open);
  });
});

// Last, since it changes a repository.
describe.skipIf(!HAS_BROWSER)('an attack path', () => {
  it('is drawn with its stages in order of the keyboard, and is a list alone on a phone', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/paths?kind=${KIND}`);
    const { page } = opened;
    await page.getByRole('region', { name: 'acme/storefront' }).getByRole('article').getByRole('link').click();
    const picture = page.getByRole('region', { name: 'Picture of the attack path' });
    await picture.getByRole('link', { name: 'Stage 1: An outsider writes the text' }).focus();
    const names = await tabThrough(page);
    expect(names.filter((name) => /Stage \d/.test(name))).toEqual([
      '1Stage 1: An outsider writes the text',
      '2Stage 2: The text becomes part of a script. Break the chain here',
      '3Stage 3: The credential is stolen',
    ]);
    expect(names.indexOf('Untrusted input is interpolated into a script')).toBe(3);
    expect(await picture.getByText('Break the chain here', { exact: true }).count()).toBe(1);
    expect(await picture.getByText('same file').count()).toBe(2);
    expect(await picture.getByText('ends in').count()).toBe(1);
    await checkPage(opened);
    await page.setViewportSize({ width: 375, height: 700 });
    await picture.waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'An outsider writes the text',
      'The text becomes part of a script',
      'The credential is stolen',
      'Impact',
      'Also part of it',
    ]);
    await checkPage(opened);
  });

  it('leads to the next one with ], ends with its fix, and its address says so', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${team}/paths?kind=${KIND}`);
    const { page } = opened;
    await page.getByRole('region', { name: 'acme/storefront' }).getByRole('article').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Untrusted text is inserted' }).waitFor();
    const address = page.url();
    await page.keyboard.press(']');
    await page.waitForURL((url) => url.href !== address);
    await page.keyboard.press('[');
    await page.waitForURL(address);
    await page.getByRole('link', { name: 'Attack paths 11' }).waitFor();
    const fixed = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    await stack.host.push('acme/storefront', { files: { '.github/workflows/preview.yml': fixed }, keepOthers: true });
    await page.getByRole('button', { name: 'Scan again' }).click();
    await page.getByRole('heading', { name: 'This attack path is gone' }).waitFor();
    await page.getByRole('link', { name: /^Attack paths (?:9|10)$/ }).waitFor();
    await page.goto(address);
    await page.getByRole('heading', { name: 'This attack path is gone' }).waitFor();
    await checkPage(opened);
  });
});
