import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { callApi, visitAs } from '../support/dashboard.ts';
import { FULL } from '../support/effort.ts';
import { type Stack, startStack } from '../support/stack.ts';

const REPOSITORIES = FULL ? 1_000 : 300;
const FINDINGS = 50;
const RULES = ['unpinned-uses', 'template-injection', 'artipacked', 'excessive-permissions', 'github-env'];
const MOST_ROWS = 1_000;
/** Medium, with low confidence, of the first rule. */
const SHOWN = 5;

const times = (perRepository: number) => (REPOSITORIES * perRepository).toLocaleString('en');

let stack: Stack;
let browser: Browser;
let org: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  const { page } = await visitAs(stack, browser, 'ada', '/setup');
  ({ id: org } = (await callApi(page, '/api/orgs', { name: 'Many' })) as { readonly id: string });
  const [admin] = await stack.database.sql<{ user_id: string }>(
    'select user_id from public.org_members where org_id = $1',
    [org],
  );
  await seed(admin?.user_id ?? '');
  // A busy machine computes them in several requests, and browsers log each refusal.
  const isComputed = () => callApi(page, `/api/attack-paths?org=${org}&limit=1`).then(Boolean, () => false);
  await vi.waitUntil(isComputed, { timeout: 120_000, interval: 1_000 });
  await join('mel');
  await endVisits(browser);
}, 300_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

/**
 * 50 current findings in each repository; in the first one 5 that were fixed and 3 that were not looked for. The scans hold
 * only the one of each repository that a drawer may show.
 */
async function seed(user: string): Promise<void> {
  const { sql } = stack.database;
  await sql(
    `insert into public.installations (org_id, user_id, installation_id, account, account_type)
     values ($1, $2, 990001, 'many', 'Organization')`,
    [org, user],
  );
  await sql(
    `insert into public.repositories (org_id, user_id, installation_id, scm_id, full_name, private, html_url, default_branch)
     select $1, $2, 990001, (5000000 + n)::text, 'many/r' || lpad(n::text, 4, '0'), false, 'https://code.example/many/r' || n, 'main'
     from generate_series(1, ${REPOSITORIES}) as n`,
    [org, user],
  );
  await sql(
    `insert into public.scans (repo_id, org_id, user_id, trigger, ruleset, workflow_files, findings, started_at)
     select id, org_id, user_id, 'manual', 'all', 3, ${FINDINGS}, now() from public.repositories where org_id = $1`,
    [org],
  );
  await sql(
    `insert into public.scan_rules (scan_id, completed, not_assessed)
     select id, '{}', '[]' from public.scans where org_id = $1`,
    [org],
  );
  await sql(
    `update public.repositories r set last_scan_id = s.id from public.scans s where s.repo_id = r.id and r.org_id = $1`,
    [org],
  );
  await sql(
    `insert into public.findings (scan_id, repo_id, org_id, fingerprint, rule_id, severity, confidence, category, title,
       file, line, description, recommendation, fixable)
     select s.id, s.repo_id, s.org_id, lpad(to_hex(n), 64, '0'), ('{${RULES.join()}}'::text[])[1 + n % ${RULES.length}],
       ('{HIGH,MEDIUM,LOW,INFO}'::text[])[1 + n % 4], ('{high,medium,low}'::text[])[1 + n % 3],
       ('{CICD-SEC-4,CICD-SEC-6}'::text[])[1 + n % 2], 'Weakness ' || n, '.github/workflows/w' || n || '.yml', n,
       'What it is.', 'What to do.', n % 2 = 0
     from public.scans s cross join (values (${SHOWN})) as shown (n) where s.org_id = $1`,
    [org],
  );
  await sql(
    `insert into public.finding_ledger (repo_id, org_id, fingerprint, rule_id, first_seen_at, first_scan_id, last_seen_at,
       last_scan_id, severity, severity_rank, confidence, category, title, file, line, fixable, present, resolved_at)
     select s.repo_id, s.org_id, lpad(to_hex(n), 64, '0'), ('{${RULES.join()}}'::text[])[1 + n % ${RULES.length}],
       now() - interval '1 day' * (n - 1), s.id, now(), s.id, severity, internal.severity_rank(severity),
       ('{high,medium,low}'::text[])[1 + n % 3], ('{CICD-SEC-4,CICD-SEC-6}'::text[])[1 + n % 2], 'Weakness ' || n,
       '.github/workflows/w' || n || '.yml', n, n % 2 = 0, n <= ${FINDINGS},
       case when n between ${FINDINGS + 1} and ${FINDINGS + 5} then now() end
     from public.scans s cross join generate_series(1, ${FINDINGS + 8}) as n
       cross join lateral (values (('{HIGH,MEDIUM,LOW,INFO}'::text[])[1 + n % 4])) as rated (severity)
     where s.org_id = $1 and (n <= ${FINDINGS} or s.repo_id = (select min(id::text)::uuid from public.repositories where org_id = $1))`,
    [org],
  );
  await sql('analyze');
}

async function join(person: string): Promise<void> {
  const { page } = await visitAs(stack, browser, person, '/setup');
  await callApi(page, '/api/orgs');
  await stack.database.sql(
    `insert into public.org_members (org_id, user_id, email, role)
     select $1, user_id, email, 'member' from public.org_members where email = $2 limit 1`,
    [org, `${person}@acme.example`],
  );
}

interface Shown {
  readonly rows: readonly string[];
  readonly drawer: string | null;
  readonly pages: string | null;
}

async function shown(page: Page): Promise<Shown> {
  const drawer = page.getByRole('dialog', { name: 'Finding' });
  await drawer.getByRole('heading', { name: 'Recommendation' }).waitFor();
  const rows = page.locator('[data-finding]');
  await rows.first().waitFor({ state: 'attached' });
  return {
    rows: await rows.evaluateAll((all) => all.map((each) => each.getAttribute('data-finding') ?? '')),
    drawer: await drawer.getByRole('heading', { name: /^Weakness \d+$/ }).textContent(),
    pages: await page.getByText(/^Page \d+ of /).textContent(),
  };
}

describe.skipIf(!HAS_BROWSER)('an address of the list of findings, at thousands of them', () => {
  it('shows the same after a reload and to another member, and Back closes the drawer', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${org}/findings`);
    const { page } = opened;
    const secondPage = `Page 2 of ${REPOSITORIES / 50}`;
    const most: number[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/rest/v1/')) return;
      void response.json().then(
        (rows: unknown) => most.push(Array.isArray(rows) ? rows.length : 0),
        () => {},
      );
    });
    await page.getByRole('button', { name: 'unpinned-uses' }).click();
    await page.getByText(`${times(10)} findings`).waitFor();
    await page.getByRole('checkbox', { name: 'Medium' }).check();
    await page.getByRole('combobox', { name: 'Confidence' }).selectOption('Low');
    await page.getByText(`${times(1)} findings`).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(secondPage).waitFor();
    await page.locator('[data-finding]').nth(2).click();
    const here = await shown(page);
    expect(here.rows).toHaveLength(50);
    await checkPage(opened);
    const address = page.url();
    expect([...new URL(address).searchParams.keys()].sort()).toEqual(['conf', 'f', 'page', 'rule', 'sev']);

    await page.reload();
    expect(await shown(page)).toEqual(here);
    const other = await visitAs(stack, browser, 'mel', new URL(address).pathname + new URL(address).search);
    expect(await shown(other.page)).toEqual(here);

    await page.goBack();
    await page.getByRole('dialog', { name: 'Finding' }).waitFor({ state: 'hidden' });
    await page.getByText(secondPage).waitFor();
    expect(most.length).toBeGreaterThan(5);
    expect(Math.max(...most)).toBeLessThanOrEqual(MOST_ROWS);
  }, 300_000);

  it('narrows by repository, category, age and what the last scan did', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${org}/findings?group=none`);
    const { page } = opened;
    await page.getByText(`${times(50)} findings`).waitFor();
    const choose = (label: string, option: string) => page.getByRole('combobox', { name: label }).selectOption(option);
    await choose('Category', 'CICD-SEC-6');
    await page.getByText(`${times(25)} findings`).waitFor();
    await choose('First seen', 'In the last 7 days');
    await page.getByText(`${times(4)} findings`).waitFor();
    await choose('Repository', 'many/r0042');
    await page.getByText('4 findings').waitFor();
    await choose('Group by', 'Rule');
    await page.getByText('4 findings of 4 rules').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await choose('Last scan', 'Fixed since');
    await page.getByText('5 findings', { exact: true }).waitFor();
    expect(
      await page
        .getByRole('row')
        .filter({ hasText: /many\/r\d{4}/ })
        .count(),
    ).toBe(5);
    await checkPage(opened);
    await choose('Last scan', 'Did not look for it');
    await page.getByText('3 findings', { exact: true }).waitFor();
  });

  it('is said again before many findings are changed, with their number and the time', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${org}/findings?rule=artipacked&sev=HIGH&group=none`);
    const { page } = opened;
    const count = page.getByText(/^[\d,]+ findings$/);
    await count.waitFor();
    const number = (await count.textContent())?.split(' ')[0] ?? '';
    expect(Number(number.replace(',', ''))).toBeGreaterThan(500);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const decide = async () => {
      await page.getByRole('button', { name: 'Dismiss' }).click();
      return page.getByRole('dialog', { name: /^Dismiss: / });
    };
    const few = await decide();
    await few.getByLabel('Reason (optional)').waitFor();
    expect(await few.getByRole('list', { name: 'Chosen by' }).count()).toBe(0);
    await few.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: `Select all ${number} that match` }).click();
    await page.getByText(`${number} selected`).waitFor();
    const many = await decide();
    await many.getByText(`This changes ${number} findings, 500 at a time, and takes less than a minute.`).waitFor();
    expect(await many.getByRole('list', { name: 'Chosen by' }).getByRole('listitem').allTextContents()).toEqual([
      'Status: Open',
      'Severity: High',
      'Rule: artipacked',
    ]);
    await checkPage(opened);
    await many.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is kept under a name on the device', async () => {
    const opened = await visitAs(stack, browser, 'ada', `/o/${org}/findings?rule=artipacked&sev=HIGH&group=none`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByLabel('Name of the current view').fill('Worst tokens');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Worst tokens' }).waitFor();
    await checkPage(opened);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText(`${times(50)} findings`).waitFor();
    await page.reload();
    await page.getByRole('button', { name: '1 saved view' }).click();
    await page.getByRole('link', { name: 'Worst tokens' }).click();
    await page.waitForURL('**/findings?rule=artipacked&sev=HIGH&group=none');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Rule artipacked: remove' }).waitFor();
  });
});
