import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { INITECH } from '#lib/simulator/initech.ts';
import { APP_PERMISSIONS } from '#lib/simulator/manifest.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { callApi, visitAs } from '../support/dashboard.ts';
import { layoutFaults } from '../support/layout.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack({}, { initech: true }), sharedBrowser()]);
}, 180_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(async () => {
  stack?.gate.open();
  stack?.host.clearFaults();
  await endVisits(browser);
});

const url = (path: string) => `${stack.web.url}${path}`;
const row = (page: Page, fullName: string) => page.getByRole('row').filter({ hasText: fullName });

async function numbersOf(org: string) {
  const [found] = await stack.database.sql<{ findings: number; high: number }>(
    `select count(*)::int as findings, (count(*) filter (where severity = 'HIGH'))::int as high
     from public.finding_ledger where org_id = $1 and present and status = 'open'`,
    [org],
  );
  if (found === undefined) throw new Error('No counts');
  return found;
}

describe.skipIf(!HAS_BROWSER)('the first day', () => {
  it('leads from the install page to the overview of a scanned team in at most eight clicks', async () => {
    const { host } = stack;
    const opened = await visit(browser, `${host.webUrl}/apps/${host.app.slug}/installations/new`);
    const { page } = opened;
    let clicks = 0;
    const press = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    await press(page.getByRole('button', { name: 'Install on acme as Ada' }));
    await press(page.getByRole('button', { name: 'Continue with the local code host' }));
    await press(page.getByRole('button', { name: '(ada)' }));
    await press(page.getByLabel('Name of the team'));
    await page.keyboard.type('Acme');
    await checkPage(opened);
    await press(page.getByRole('button', { name: 'Create the team and connect' }));
    await page.getByText('All members of Acme see its repositories').waitFor();
    await press(page.getByRole('button', { name: 'Scan all 7 repositories' }));
    await page.getByText('7 of 7 repositories scanned.').first().waitFor();
    await checkPage(opened);
    await press(page.getByRole('link', { name: 'Open the overview' }));
    await page.waitForURL(/\/o\/[0-9a-f-]{36}$/);
    expect(clicks).toBeLessThanOrEqual(8);

    const org = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByRole('button', { name: 'Organization: Acme' }).waitFor();
    await page.getByRole('heading', { name: '11 attack paths' }).waitFor();
    await page.getByText('6 Critical').first().waitFor();
    const { findings, high } = await numbersOf(org);
    await page.getByRole('link', { name: `${high} High` }).waitFor();
    expect(findings).toBe(82);
    await page.getByRole('link', { name: 'Findings' }).click();
    await page.getByText(new RegExp(`^${findings} findings of \\d+ rules$`)).waitFor();
    await checkPage(opened);
  }, 300_000);
});

describe.skipIf(!HAS_BROWSER)('a scan of all repositories', () => {
  let team: string;

  beforeAll(async () => {
    if (!HAS_BROWSER) return;
    const { page } = await visitAs(stack, browser, 'bill', '/setup');
    ({ id: team } = (await callApi(page, '/api/orgs', { name: 'Initech' })) as { id: string });
    await callApi(page, `/api/scm/callback?installation_id=${INITECH.installationId}&org=${team}`);
    await callApi(page, `/api/repos?org=${team}`);
    await endVisits(browser);
  }, 120_000);

  it('names the repositories that failed, and retries them', async () => {
    const opened = await visitAs(stack, browser, 'bill', `/o/${team}/repositories`);
    const { page } = opened;
    const broken = ['initech/billing-web', 'initech/fax-api', 'initech/ledger-tools'];
    for (const repository of broken) {
      await stack.host.fault({ match: 'POST *', repository, times: 99, effect: { kind: 'status', status: 502 } });
    }
    await page.getByRole('button', { name: 'Scan all 40 repositories' }).click();
    await page.getByText('37 of 40 repositories scanned. 3 failed.').first().waitFor({ timeout: 120_000 });
    for (const repository of broken) {
      await row(page, repository).getByText('Could not be read at the local code host. Nothing was stored.').waitFor();
    }
    await row(page, 'initech/fax-tools')
      .getByText('Medium')
      .or(row(page, 'initech/fax-tools').getByText('High'))
      .first()
      .waitFor();
    opened.complaints.length = 0;
    await checkPage(opened);

    stack.host.clearFaults();
    await page.getByRole('button', { name: 'Retry the 3 that failed' }).click();
    await page.getByText('3 of 3 repositories scanned.').first().waitFor();
    const scanned = await stack.database.sql(
      'select 1 from public.repositories where org_id = $1 and last_scan_id is not null',
      [team],
    );
    expect(scanned).toHaveLength(40);
  }, 300_000);

  it('shows hostile names as text, and finds them by a part', async () => {
    const opened = await visitAs(stack, browser, 'bill', `/o/${team}/findings?group=none`);
    const { page } = opened;
    const [hostile] = await stack.database.sql<{ id: string }>(
      `select id from public.repositories where org_id = $1 and full_name = 'initech/fax-tools'`,
      [team],
    );
    await callApi(page, '/api/scan', { repo_id: hostile?.id });
    const [named] = await stack.database.sql<{ count: number }>(
      `select count(*)::int as count from public.finding_ledger
       where org_id = $1 and present and status = 'open' and file like '%<b>%'`,
      [team],
    );
    expect(named?.count).toBeGreaterThan(0);
    await page.reload();
    await page.getByLabel('Title or file').fill('<b>');
    await page.getByText(new RegExp(`^${named?.count} findings?$`)).waitFor();
    const rows = page.getByRole('row').filter({ has: page.locator('[data-finding]') });
    const texts = await rows.allTextContents();
    expect(texts).toHaveLength(named?.count ?? 0);
    for (const text of texts) expect(text).toContain('.github/workflows/<b><U+202E>ci-');
    expect(await page.locator('main b').count()).toBe(0);
    await checkPage(opened);
  });

  it('can be of one repository alone, in a list narrowed to private or archived ones', async () => {
    const { page } = await visitAs(stack, browser, 'bill', `/o/${team}/repositories`);
    await page.getByRole('combobox', { name: 'Archived' }).selectOption('Archived');
    await page.getByText('1 repository', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?archived=true');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('combobox', { name: 'Visibility' }).selectOption('Private');
    await page.getByText('2 repositories', { exact: true }).waitFor();
    const scans = () =>
      stack.database.sql('select repo_id from public.scans where org_id = $1 order by started_at desc', [team]);
    const before = await scans();
    await page
      .getByRole('button', { name: /^Scan now initech/ })
      .first()
      .click();
    await page.getByText('1 of 1 repository scanned.').first().waitFor();
    expect(await scans()).toHaveLength(before.length + 1);
  });

  it('goes on while other pages are shown, pauses, and after a reload offers the rest', async () => {
    const opened = await visitAs(stack, browser, 'bill', `/o/${team}/repositories`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Scan all 40 repositories' }).click();
    await page
      .getByText(/^\d+ of 40 repositories\./)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    const indicator = page.getByRole('link', { name: /^Scans \d+ of 40$/ });
    await checkPage(opened);
    await indicator.click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page
      .getByText(/Paused\.$/)
      .first()
      .waitFor();
    const states = page.getByRole('cell', { name: 'Scanning' });
    await expect.poll(() => states.count(), { timeout: 60_000 }).toBe(0);
    await checkPage(opened);

    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      });
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
    await page.getByText(/^A run was interrupted: \d+ of its repositories were not scanned\.$/).waitFor();
    await checkPage(opened);
    const rest = page.getByRole('button', { name: /^Scan the \d+ that are left$/ });
    const left = Number.parseInt((await rest.textContent())?.split(' ')[2] ?? '', 10);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(40);
    await rest.click();
    await page.getByText(`${left} of ${left} repositories scanned.`).first().waitFor({ timeout: 120_000 });
  }, 300_000);

  it('waits for a run of another tab, and says so', async () => {
    const { page } = await visitAs(stack, browser, 'bill', `/o/${team}/repositories`);
    const other = await page.context().newPage();
    await other.goto(url(`/o/${team}/repositories`));
    stack.gate.shut();
    const start = { name: 'Scan all 40 repositories' };
    await page.getByRole('button', start).click();
    await page.getByText('Scanning').first().waitFor();
    await other.getByRole('button', start).click();
    await other.getByText('Waiting: another run of this browser has to end first.').first().waitFor();
    expect(await other.getByRole('cell', { name: 'Scanning' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    stack.gate.open();
    await page
      .getByText(/not started\.$/)
      .first()
      .waitFor();
    await other.getByRole('cell', { name: 'Scanning' }).first().waitFor();
    await other.getByRole('button', { name: 'Stop' }).click();
    await other
      .getByText(/not started\.$/)
      .first()
      .waitFor();
  }, 120_000);
});

describe.skipIf(!HAS_BROWSER)('names of a hundred characters without a space', () => {
  const OWNER = 'o'.repeat(39);
  const NAME = 'n'.repeat(100);
  const FILE = `.github/workflows/${'w'.repeat(96)}.yml`;
  const WORKFLOW = `on: pull_request_target
permissions: write-all
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - run: make test "\${{ github.event.pull_request.title }}"
        env: { TOKEN: "\${{ secrets.${'S'.repeat(100)} }}" }
      - uses: actions/checkout@v4
`;
  const pages = new Map<string, string>();

  beforeAll(async () => {
    if (!HAS_BROWSER) return;
    await stack.forgetVisitors();
    const { world } = stack.host;
    const owner = world.addAccount({ login: OWNER, id: 4_999, name: OWNER, type: 'Organization' });
    world.addMember(owner, world.addAccount({ ...INITECH.member, type: 'User' }), 'admin');
    const { id: repositoryId } = await stack.host.addRepository({
      fullName: `${OWNER}/${NAME}`,
      defaultBranch: 'b'.repeat(100),
      files: { [FILE]: WORKFLOW },
    });
    const installation = 6_999;
    world.addInstallation({
      id: installation,
      accountId: owner.id,
      permissions: APP_PERMISSIONS,
      repositoryIds: [repositoryId],
    });
    const { page } = await visitAs(stack, browser, 'joanna', '/setup');
    const { id: org } = (await callApi(page, '/api/orgs', { name: 'T'.repeat(100) })) as { id: string };
    await callApi(page, `/api/scm/callback?installation_id=${installation}&org=${org}`);
    await callApi(page, `/api/repos?org=${org}`);
    const [repository] = await stack.database.sql<{ id: string }>(
      'select id from public.repositories where org_id = $1',
      [org],
    );
    const id = repository?.id ?? '';
    await callApi(page, '/api/scan', { repo_id: id });
    const { repos } = (await callApi(page, `/api/attack-paths?org=${org}`)) as AttackPathList;
    const { campaign } = (await callApi(page, `/api/campaigns?org=${org}`, { ruleset: 'owasp', repo_ids: [id] })) as {
      readonly campaign: { readonly id: string };
    };
    // No rule has such a name; one that is retired may.
    for (const table of ['finding_ledger', 'findings']) {
      await stack.database.sql(
        `update public.${table} set rule_id = $2 where org_id = $1 and rule_id = 'missing-timeout'`,
        [org, 'r'.repeat(100)],
      );
    }
    pages.set('the report', await stack.scan(`${OWNER}/${NAME}`));
    for (const [name, path] of [
      ['the overview', ''],
      ['attack paths', '/paths'],
      ['one path', `/paths/${id}/${repos[0]?.combos[0]?.id}`],
      ['findings by rule', '/findings'],
      ['findings', '/findings?group=none'],
      ['repositories', '/repositories'],
      ['one repository', `/repositories/${id}`],
      ['campaigns', '/campaigns'],
      ['one campaign', `/campaigns/${campaign.id}`],
    ] as const) {
      pages.set(name, `/o/${org}${path}`);
    }
    await endVisits(browser);
  }, 120_000);

  it.each([
    'the report',
    'the overview',
    'attack paths',
    'one path',
    'findings by rule',
    'findings',
    'repositories',
    'one repository',
    'campaigns',
    'one campaign',
  ])('neither widen %s nor cover other texts, on a desktop and on a phone', async (name) => {
    const { page } = await visitAs(stack, browser, 'joanna', pages.get(name) ?? '/');
    const long = name === 'campaigns' ? 'OWASP' : name === 'findings by rule' ? 'r'.repeat(100) : NAME;
    await page.locator('main').getByText(long).filter({ visible: true }).first().waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      expect(await layoutFaults(page), `${page.url()} at ${width} px`).toEqual([]);
    }
  });
});
