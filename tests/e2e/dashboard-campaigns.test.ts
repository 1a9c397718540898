import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CampaignView } from '#lib/db/shapes/campaigns.ts';
import { REFUSALS } from '#lib/simulator/faults.ts';
import { INITECH } from '#lib/simulator/initech.ts';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser } from '../support/browser.ts';
import { callApi, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

const CRON_SECRET = 'a-secret-of-the-scheduler';
const WITHOUT_PERMISSION = 'initech/payroll-web';
const GUARDED = 'initech/mailroom-worker';
const SUBJECTS = ['fax', 'payroll', 'mailroom'];

let stack: Stack;
let browser: Browser;
let team: string;
let repositories: ReadonlyMap<string, string>;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const variables = { CRON_SECRET, SCM_WEBHOOK_SECRET: 'secret-of-the-webhook' };
  [stack, browser] = await Promise.all([startStack(variables, { initech: true }), sharedBrowser()]);
  const { page } = await visitAs(stack, browser, 'bill', '/setup');
  ({ id: team } = (await callApi(page, '/api/orgs', { name: 'Initech' })) as { id: string });
  await callApi(page, `/api/scm/callback?installation_id=${INITECH.installationId}&org=${team}`);
  const listed = (await callApi(page, `/api/repos?org=${team}`)) as {
    readonly repositories: readonly { readonly id: string; readonly full_name: string }[];
  };
  repositories = new Map(listed.repositories.map((each) => [each.full_name, each.id]));
  const invite = (await callApi(page, `/api/orgs/${team}/invites`, {
    email: INITECH.member.email,
    role: 'member',
  })) as { invite_id: string };
  const joanna = await visitAs(stack, browser, 'joanna', '/setup');
  await callApi(joanna.page, `/api/invites/${invite.invite_id}/accept`, undefined, 'POST');
  await endVisits(browser);
}, 240_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(async () => {
  await endVisits(browser);
  stack?.host.clearFaults();
  await stack?.forgetVisitors();
});

const idOf = (fullName: string) => repositories.get(fullName) ?? '';
const row = (page: Page, fullName: string) => page.getByRole('row').filter({ hasText: fullName });

function idInAddress(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

function guardBranchesOf(fullName: string): void {
  const repository = stack.host.world.repository(fullName);
  if (repository === undefined) throw new Error(`There is no ${fullName}.`);
  const guard = {
    name: 'No release branches',
    target: 'BRANCH',
    enforcement: 'ACTIVE',
    include: ['refs/heads/chainbreak/fix-release-*'],
    rules: { CREATION: true },
  };
  stack.host.world.updateRepository(repository, {
    settings: { ...repository.settings, rulesets: [guard] as never },
  });
}

async function viewOf(page: Page): Promise<CampaignView> {
  return (await callApi(page, `/api/campaigns/${idInAddress(page)}`)) as CampaignView;
}

describe.skipIf(!HAS_BROWSER)('a campaign', () => {
  it('is previewed, opens pull requests, retries and follows them until a scan confirms them', async () => {
    const opened = await visitAs(stack, browser, 'bill', `/o/${team}/campaigns`);
    const { page } = opened;
    await page.getByText('No campaign yet').waitFor();
    await checkPage(opened);
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByRole('radio', { name: /^OWASP/ }).waitFor();
    expect(await page.locator('main').getByRole('radio').count()).toBe(10);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Choose repositories' }).click();
    for (const subject of SUBJECTS) {
      await page.getByLabel('Name').fill(subject);
      await page.getByRole('button', { name: 'Select all 4 that match' }).click();
    }
    await page.getByText('12 of at most 500 selected').waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'Preview the fixes in 12 repositories' }).click();
    await page.getByText('12 of 12 repositories.').first().waitFor();
    await page.getByText('initech/fax-tools').click();
    await page.getByText('Line before').first().waitFor({ state: 'attached' });
    expect(await page.getByText('<U+202E>').count()).toBeGreaterThan(0);
    await checkPage(opened);

    await stack.host.fault({
      match: 'POST *',
      repository: WITHOUT_PERMISSION,
      times: 99,
      effect: REFUSALS.noPermission,
    });
    guardBranchesOf(GUARDED);
    await page.getByRole('button', { name: /^Open pull requests in \d+ repositories$/ }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await row(page, WITHOUT_PERMISSION).getByText('Failed').waitFor();
    await row(page, GUARDED).getByText('Partial').waitFor();
    await page.getByText(/^\d+ repositories: \d+ succeeded, 1 partial, 1 failed\.$/).waitFor();
    await checkPage(opened);
    const { rollup, repos } = await viewOf(page);
    expect(rollup).toMatchObject({ pending: 0, running: 0, partial: 1, failed: 1, prs_merged: 0, prs_verified: 0 });
    expect(rollup.prs_opened).toBeGreaterThan(5);
    const link = row(page, GUARDED).getByRole('link').first();
    expect(await link.getAttribute('href')).toContain(`${stack.host.webUrl}/${GUARDED}/pull/`);

    stack.host.clearFaults();
    await row(page, WITHOUT_PERMISSION)
      .getByRole('button', { name: `Retry ${WITHOUT_PERMISSION}` })
      .click();
    await row(page, WITHOUT_PERMISSION).getByText('Succeeded').waitFor();

    const merged = repos
      .flatMap(({ full_name: name, pull_requests: pulls }) => pulls.map((pull) => ({ name, ...pull })))
      .slice(0, 5);
    for (const { name, number } of merged) await stack.host.people.merge(name, number);
    await fetch(`${stack.web.url}/api/cron/refresh-fix-prs`, { headers: { authorization: `Bearer ${CRON_SECRET}` } });
    const unscanned = merged[0]?.name ?? '';
    for (const name of new Set(merged.map((each) => each.name))) {
      if (name !== unscanned) await callApi(page, '/api/scan', { repo_id: idOf(name) });
    }
    const after = (await viewOf(page)).rollup;
    expect(after.prs_merged).toBe(5);
    expect(after.prs_verified).toBe(merged.filter(({ name }) => name !== unscanned).length);
    await page.reload();
    const stages = page.getByRole('table', { name: 'Fixes by stage' });
    await stages
      .getByRole('row', { name: /^Opened/ })
      .getByText(String(after.prs_opened), { exact: true })
      .waitFor();
    await stages
      .getByRole('row', { name: /^Merged/ })
      .getByText('5', { exact: true })
      .waitFor();
    await stages
      .getByRole('row', { name: /^Verified/ })
      .getByText(String(after.prs_verified), { exact: true })
      .waitFor();
    await page.getByText(/merged, but not confirmed/).waitFor();
    await checkPage(opened);

    await page.goto(`${stack.web.url}/o/${team}/campaigns`);
    await page
      .getByRole('row', { name: /^OWASP/ })
      .getByText(`${after.prs_opened} opened, 5 merged`)
      .waitFor();
    await checkPage(opened);
  }, 300_000);

  it('that somebody else drives is followed', async () => {
    const name = 'initech/printer-web';
    const { page } = await visitAs(stack, browser, 'bill', '/setup');
    const { campaign } = (await callApi(page, `/api/campaigns?org=${team}`, {
      ruleset: 'owasp',
      repo_ids: [idOf(name)],
    })) as CampaignView;
    const address = `/o/${team}/campaigns/${campaign.id}`;
    const start = 'Open pull requests in the pending repository';
    await page.goto(`${stack.web.url}${address}`);
    await page.getByRole('button', { name: start }).waitFor();
    const other = await visitAs(stack, browser, 'bill', address);
    await other.page.getByRole('button', { name: start }).waitFor();
    await stack.host.fault({ match: 'POST *', repository: name, times: 1, effect: { kind: 'slow', ms: 12_000 } });
    await page.getByRole('button', { name: start }).click();
    await row(page, name).getByText('Running').waitFor();
    await expect
      .poll(() => stack.database.sql("select 1 from public.campaign_repos where status = 'running'"))
      .toHaveLength(1);
    await other.page.getByRole('button', { name: start }).click();
    await row(other.page, name).getByText('Being fixed elsewhere').waitFor();
    await row(page, name).getByText('Succeeded').waitFor();
    await row(other.page, name).getByText('Succeeded').waitFor();
    expect(await row(other.page, name).getByText('Being fixed elsewhere').count()).toBe(0);
  }, 120_000);

  it('shows members who the admins are instead of its controls', async () => {
    const opened = await visitAs(stack, browser, 'joanna', `/o/${team}/campaigns/new?repo=${idOf('initech/fax-web')}`);
    const { page } = opened;
    await page.getByText(`Only an admin may create a campaign: ${INITECH.admin.email}`).waitFor();
    expect(await page.locator('main').getByRole('radio').count()).toBe(0);
    await checkPage(opened);
    await page.goto(`${stack.web.url}/o/${team}/campaigns`);
    await page
      .getByRole('row', { name: /^OWASP/ })
      .first()
      .getByRole('link')
      .click();
    await page.getByText(`Only an admin may open pull requests: ${INITECH.admin.email}`).waitFor();
    await page.getByRole('table', { name: 'Repositories of the campaign' }).waitFor();
    expect(await page.getByRole('button', { name: /Retry|Open pull requests/ }).count()).toBe(0);
    await checkPage(opened);
  });

  it('of one repository begins with its address', async () => {
    const { page } = await visitAs(
      stack,
      browser,
      'bill',
      `/o/${team}/campaigns/new?repo=${idOf('initech/printer-api')}`,
    );
    await page.getByRole('button', { name: 'Choose repositories' }).click();
    await page.getByRole('button', { name: 'Preview the fixes in 1 repository' }).waitFor();
    expect(await page.getByText('1 of at most 500 selected').count()).toBe(1);
  });

  it('keeps what was chosen when the browser goes back, and the ruleset after a reload', async () => {
    const { page } = await visitAs(stack, browser, 'bill', `/o/${team}/campaigns/new`);
    await page.getByRole('radio', { name: /^SLSA build level 1/ }).check();
    await page.getByRole('button', { name: 'Choose repositories' }).click();
    await page.getByLabel('initech/printer-api').check();
    await page.getByRole('button', { name: 'Preview the fixes in 1 repository' }).click();
    await page.getByRole('heading', { name: 'Step 3 of 3: Preview' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Step 2 of 3: Repositories' }).waitFor();
    expect(await page.getByLabel('initech/printer-api').isChecked()).toBe(true);
    await page.goForward();
    await page.getByRole('heading', { name: 'Step 3 of 3: Preview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Step 2 of 3: Repositories' }).waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    expect(await page.getByRole('radio', { name: /^SLSA build level 1/ }).isChecked()).toBe(true);
  });
});
