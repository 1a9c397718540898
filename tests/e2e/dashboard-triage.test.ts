import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkPage, endVisits, HAS_BROWSER, sharedBrowser, visit } from '../support/browser.ts';
import { callApi, PEOPLE, signIn, visitAs } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;
let browser: Browser;
/** A team with acme's repositories, of which Ada is admin and Mel a member. */
let team: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
  const { page } = await visitAs(stack, browser, 'ada', '/setup');
  ({ id: team } = (await callApi(page, '/api/orgs', { name: 'Acme' })) as { id: string });
  await callApi(page, `/api/scm/callback?installation_id=${PEOPLE.ada}&org=${team}`);
  const { repositories } = (await callApi(page, `/api/repos?org=${team}`)) as {
    readonly repositories: readonly { readonly id: string }[];
  };
  for (const { id } of repositories) await callApi(page, '/api/scan', { repo_id: id });
  const body = { email: 'mel@acme.example', role: 'member' };
  const invite = (await callApi(page, `/api/orgs/${team}/invites`, body)) as { readonly invite_id: string };
  const mel = await visitAs(stack, browser, 'mel', '/setup');
  await callApi(mel.page, `/api/invites/${invite.invite_id}/accept`, undefined, 'POST');
  await endVisits(browser);
}, 240_000);

afterAll(async () => {
  await endVisits(browser);
  await stack?.stop();
});

afterEach(() => endVisits(browser));

const url = (path: string) => `${stack.web.url}${path}`;

async function openCount(condition = 'true'): Promise<number> {
  const [row] = await stack.database.sql<{ count: number }>(
    `select count(*)::int as count from public.finding_ledger
     where org_id = $1 and present and status = 'open' and ${condition}`,
    [team],
  );
  return row?.count ?? 0;
}

async function rows<T extends object>(query: string): Promise<readonly T[]> {
  return stack.database.sql<T>(query, [team]);
}

describe.skipIf(!HAS_BROWSER)('the address of a finding', () => {
  it('leads a signed-out user through the sign-in to the same list with the same drawer', async () => {
    const [finding] = await rows<{ repo_id: string; fingerprint: string; title: string }>(
      `select repo_id, fingerprint, title from public.finding_ledger
       where org_id = $1 and severity = 'HIGH' order by fingerprint limit 1`,
    );
    if (finding === undefined) throw new Error('No finding');
    const address = `/o/${team}/findings?sev=HIGH&group=none&f=${finding.repo_id}.${finding.fingerprint}`;
    const opened = await visit(browser, url(address));
    const { page } = opened;
    await page.waitForURL('**/signin?next=*');
    await signIn(page, 'ada');
    await page.waitForURL(`**${address}`);
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByRole('heading', { name: finding.title }).waitFor();
    await checkPage(opened);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    const high = await openCount("severity = 'HIGH'");
    expect(high).toBe(11);
    expect(await page.locator('[data-finding]').count()).toBe(high);
  });
});

describe.skipIf(!HAS_BROWSER)('triage by keyboard', () => {
  it('is off for those who switch single letters off', async () => {
    const { page } = await visitAs(stack, browser, 'ada', '/account');
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck();
    await page.goto(url(`/o/${team}/findings?group=none`));
    await page.locator('[data-finding]').first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    expect(await page.getByRole('region', { name: 'Selected findings' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .nth(1)
      .check();
    await page.getByText('1 selected').waitFor();
  });
});
