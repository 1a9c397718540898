import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REFRESHED_ON } from '#lib/scanner/engine/data-age.ts';
import {
  checkPage,
  endVisits,
  HAS_BROWSER,
  layoutShiftOf,
  sharedBrowser,
  type Visit,
  visit,
} from '../support/browser.ts';
import { callApi, visitAs } from '../support/dashboard.ts';
import { FULL } from '../support/effort.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { bareWeb, startWeb } from '../support/web.ts';

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [stack, browser] = await Promise.all([startStack(), sharedBrowser()]);
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
const ACME = 6001;
const GLOBEX = 6002;

async function signIn(page: Page, person: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with the local code host' }).click();
  await page.getByRole('button', { name: `(${person})` }).click();
  await page.getByText(`Signed in as ${person}`).waitFor();
}

const connect = (page: Page) => page.getByRole('button', { name: 'Connect', exact: true });

async function visitConnected(person: 'ada' | 'grace'): Promise<Visit> {
  const opened = await visitAs(stack, browser, person, `/setup?installation_id=${person === 'ada' ? ACME : GLOBEX}`);
  const linked = opened.page.getByText('is connected');
  await connect(opened.page).or(linked).waitFor();
  if (await connect(opened.page).isVisible()) await connect(opened.page).click();
  await opened.page.getByText(`${person === 'ada' ? 'acme' : 'globex'} is connected`).waitFor();
  await opened.page.getByRole('table').waitFor();
  return opened;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

function forgetStatus({ complaints }: Visit, status: number): void {
  const others = complaints.filter((text) => !text.includes(`status of ${status}`));
  complaints.splice(0, Number.POSITIVE_INFINITY, ...others);
}

describe.skipIf(!HAS_BROWSER)('a user who connects repositories', () => {
  it('gets from the install page through sign-in to a scan of all, and retries a failed one', async () => {
    const { host } = stack;
    const opened = await visit(browser, `${host.webUrl}/apps/${host.app.slug}/installations/new`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Install on acme as Ada' }).click();
    await page.getByText('The app is installed.').waitFor();
    expect(page.url()).toBe(url('/setup'));
    await checkPage(opened);

    await signIn(page, 'ada');
    await page.getByText('Which organization gets these repositories?').waitFor();
    await checkPage(opened);
    await connect(page).click();
    await page.getByText('acme is connected').waitFor();
    expect(page.url()).toBe(url('/setup'));
    await rowOf(page, 'acme/payments').getByText('Private').waitFor();
    expect(await page.getByRole('row').count()).toBe(8);
    expect(await page.getByText('Not scanned yet').count()).toBe(7);
    await checkPage(opened);

    await host.fault({ match: 'POST /api/graphql', effect: { kind: 'status', status: 422 } });
    stack.gate.shut();
    await page.getByRole('button', { name: 'Scan all 7 repositories' }).click();
    await page.getByText('Scanning').nth(3).waitFor();
    expect(await page.getByText('Scanning').count()).toBe(4);
    expect(await page.getByText('Queued').count()).toBe(3);
    expect(await page.getByRole('progressbar').getAttribute('max')).toBe('7');
    await page.getByText('0 of 7 repositories.').first().waitFor();
    await checkPage(opened);
    stack.gate.open();

    await page.getByText('6 of 7 repositories scanned. 1 failed.').first().waitFor();
    await page.getByText('Failed: Could not be read at the local code host. Nothing was stored.').waitFor();
    expect(await page.getByText('Just scanned').count()).toBe(6);
    forgetStatus(opened, 502);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Retry the one that failed' }).click();
    await page.getByText('1 of 1 repository scanned.').first().waitFor();
    expect(await page.getByRole('table').getByText('Failed').count()).toBe(0);
    expect(await rowOf(page, 'acme/storefront').getByText('High').count()).toBe(1);
    await rowOf(page, 'acme/clean').getByText('No open findings').waitFor();

    await page.goto(url('/setup'));
    await rowOf(page, 'acme/clean').getByText('UTC').waitFor();
    expect(await layoutShiftOf(page)).toBeLessThan(0.02);
    expect(await rowOf(page, 'acme/storefront').getByText('High').count()).toBe(1);
    expect(await page.getByText('is connected').count()).toBe(0);
    const bar = page.getByRole('banner');
    expect(await bar.getByRole('link', { name: 'Dashboard' }).getAttribute('href')).toBe('/o');
    expect(await bar.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue with' }).waitFor();
    await bar.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('auth-token')))).toEqual(
      [],
    );
  }, 300_000);

  it('can stop: running scans finish, the rest is untouched', async () => {
    const { page } = await visitConnected('ada');
    stack.gate.shut();
    await page.getByRole('button', { name: 'Scan all' }).click();
    await page.getByText('Scanning').nth(3).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await page.getByRole('button', { name: 'Stopping' }).isDisabled()).toBe(true);
    stack.gate.open();
    await page.getByText('4 of 7 repositories scanned. 3 not started.').first().waitFor();
    expect(await page.getByText('Just scanned').count()).toBe(4);
    await page.getByRole('button', { name: 'Scan all' }).waitFor();
  });

  it('hears progress announcements at most every five seconds', async () => {
    const { page } = await visitConnected('grace');
    await page.evaluate(() => {
      const region = document.querySelector('main [role=status].sr-only') as Element;
      const said: [at: number, text: string][] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => said.push([performance.now(), region.textContent])).observe(region, {
        subtree: true,
        characterData: true,
        childList: true,
      });
    });
    await page.getByRole('button', { name: 'Scan all' }).click();
    await page.getByText('6 of 6 repositories scanned.').nth(1).waitFor();
    const said = await page.evaluate(() => (globalThis as unknown as { said: [number, string][] }).said);
    for (const [index, [at]] of said.slice(1).entries()) expect(at - (said[index]?.[0] ?? 0)).toBeGreaterThan(4_900);
    expect(said.at(-1)?.[1]).toBe('6 of 6 repositories scanned.');
  });
});

describe.skipIf(!HAS_BROWSER)('an unlinked installation', () => {
  it('of another account explains what to do and stores nothing', async () => {
    const opened = await visit(browser, url(`/setup?installation_id=${GLOBEX}`));
    const { page } = opened;
    await signIn(page, 'mel');
    await connect(page).click();
    await page.getByRole('alert').getByText('You cannot connect this account').waitFor();
    await page.getByText('No account or organization is connected yet').waitFor();
    const link = await page.getByRole('link', { name: 'Install the app' }).getAttribute('href');
    expect(link?.replace(/[0-9a-f-]{36}$/, 'key')).toBe(
      `${stack.host.webUrl}/apps/${stack.host.app.slug}/installations/new?state=key`,
    );
    forgetStatus(opened, 404);
    await checkPage(opened);
    await page.getByRole('button', { name: 'Continue without it' }).click();
    await page.reload();
    await page.getByText('No account or organization is connected yet').waitFor();
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);
  });

  it('goes to the organization for which it began, by a retry after the code host failed', async () => {
    const { page } = await visitAs(stack, browser, 'grace', '/setup');
    const { id: team } = (await callApi(page, '/api/orgs', { name: 'Platform' })) as { readonly id: string };
    await page.reload();
    await page.getByRole('combobox', { name: 'Organization' }).selectOption('Platform');
    await stack.host.fault({ match: 'GET /app/installations/*', times: 2, effect: { kind: 'status', status: 502 } });
    await page.getByRole('link', { name: 'Install the app' }).click();
    await page.getByRole('button', { name: 'Install on globex as Grace' }).click();
    await page.getByRole('alert').getByText('The code host did not answer').waitFor();
    expect(page.url()).toBe(url('/setup'));
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('globex is connected').waitFor();
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Organization' }).inputValue()).toBe(team);
    const linked = await stack.database.sql('select 1 from public.installations where org_id = $1', [team]);
    expect(linked).toHaveLength(1);
  });

  it('of a link that began elsewhere goes nowhere before the user has chosen', async () => {
    const { page } = await visitAs(stack, browser, 'mel', '/setup');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(url(`/setup?installation_id=${GLOBEX}&state=11111111-1111-4111-8111-111111111111`));
    await page.getByText('Which organization gets these repositories?').waitFor();
    expect(asked.filter((path) => path.endsWith('/callback'))).toEqual([]);
  });

  it('that is suspended says so', async () => {
    const { page, complaints } = await visitConnected('ada');
    const { world } = stack.host;
    const installation = world.installations.find(({ id }) => id === ACME);
    if (installation === undefined) throw new Error('No installation');
    world.updateInstallation(installation, { suspendedAt: new Date().toISOString() });
    await page.goto(url('/setup'));
    await page.getByText('The app is suspended for acme').waitFor();
    await checkPage({ page, complaints });
    world.updateInstallation(installation, { suspendedAt: null });
    await page.goto(url('/setup'));
    await page.getByRole('table').first().waitFor();
    expect(await page.getByText('is suspended').count()).toBe(0);
  });

  it('explains an incomplete URL, and a mere request', async () => {
    const { page } = await visitAs(stack, browser, 'noor', '/setup?installation_id=x');
    await page.getByText('The URL of this page names no installation').waitFor();
    await page.goto(url('/setup?setup_action=request'));
    await page.getByText('The installation is waiting for an organization owner').waitFor();
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);
  });
});

describe.skipIf(!HAS_BROWSER)('codes in URLs', () => {
  it('are sent to the API only, and removed from the URL', async () => {
    const { host } = stack;
    const { page } = await visit(browser, url('/setup'));
    await signIn(page, 'ada');
    const asked = page.waitForRequest((request) => request.url().includes('/api/scm/callback'));
    await page.goto(url(`/setup?installation_id=${GLOBEX}&setup_action=install&code=of-the-code-host`));
    await connect(page).click();
    const { searchParams } = new URL((await asked).url());
    expect(searchParams.get('installation_id')).toBe(String(GLOBEX));
    expect(searchParams.get('code')).toBe('of-the-code-host');
    await page.getByText('You cannot connect this account').waitFor();
    expect(page.url()).toBe(url('/setup'));
    expect((await host.log()).filter(({ path }) => path.includes('of-the-code-host'))).toEqual([]);
  });

  it('of another user’s sign-in are rejected', async () => {
    const opened = await visit(browser, url('/auth/callback?code=11111111-1111-4111-8111-111111111111'));
    const { page } = opened;
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
    await checkPage(opened);
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByRole('button', { name: 'Continue with' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
  });

  it('after one that was cancelled leads to the same page', async () => {
    const { page } = await visit(browser, url('/signin?next=/invites'));
    await page.getByRole('button', { name: 'Continue with' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByRole('button', { name: 'Continue with' }).click();
    await page.getByRole('button', { name: '(noor)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invites' }).waitFor();
    expect(page.url()).toBe(url('/invites'));
  });
});

describe.skipIf(!HAS_BROWSER)('the set-up page', () => {
  it('connects to the database and itself only, unlike other pages', async () => {
    const policyOf = async (path: string) => {
      const response = await fetch(url(path));
      return /connect-src ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1];
    };
    for (const path of ['/setup', '/auth/callback', '/signin', '/o/x/findings', '/account', '/invites/x']) {
      expect(await policyOf(path), path).toBe(`'self' ${stack.database.url}`);
    }
    for (const path of ['/', '/problems', '/setup/x', '/auth', '/other'])
      expect(await policyOf(path), path).toBe("'self'");
    const html = await (await fetch(url('/setup'))).text();
    expect(html).toContain(stack.database.publishableKey);
    expect(html).not.toContain(stack.database.secretKey);
    expect(html).toMatch(/<meta name="robots" content="noindex/);
  });

  it('explains what it needs without JavaScript or a database', async () => {
    const without = await visit(browser, url('/setup'), { javaScriptEnabled: false });
    expect(await without.page.locator('noscript').innerText()).toContain('This page needs JavaScript');
    expect(await without.page.getByText('Checking whether you are signed in').isVisible()).toBe(false);
    const bare = await bareWeb();
    const opened = await visit(browser, `${bare.url}/setup`);
    await opened.page.getByText('Connecting repositories is disabled on this server').waitFor();
    await checkPage(opened);
    expect((await fetch(`${bare.url}/auth/callback`)).status).toBe(404);
    await bare.stop();
  });
});

function startLater(days: number) {
  const { database, host } = stack;
  const ahead = Date.parse(REFRESHED_ON) + (days + 0.5) * 24 * 3_600_000 - Date.now();
  const clock = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${ahead}] : given)); }
    static now = () => Real.now() + ${ahead};
    static parse = Real.parse;
    static UTC = Real.UTC;
  };`;
  return startWeb({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}`,
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    DEMO_USER_ID: '11111111-1111-4111-8111-111111111111',
  });
}

describe.skipIf(!HAS_BROWSER)('findings of a site with outdated tables', () => {
  it('come with a notice from day thirty-one, shown only with findings', async () => {
    const notice = (page: Page) => page.getByRole('heading', { name: 'Outdated data' });
    const opened = await visitConnected('grace');
    const { page } = opened;
    expect(await notice(page).count()).toBe(0);
    // A response mocked by the test has no address, and then needs permission for local network access.
    await page.context().grantPermissions(['local-network-access']);
    for (const [days, shown] of [
      [30, 0],
      [45, 1],
    ] as const) {
      const later = await startLater(days);
      try {
        await page.route(url('/setup'), async (route) => {
          await route.fulfill({ response: await route.fetch({ url: `${later.url}/setup` }) });
        });
        await page.goto(url('/setup'));
        await page.getByRole('table').waitFor();
        expect(await notice(page).count(), `${days} days`).toBe(shown);
      } finally {
        await later.stop();
      }
    }
    const told = `dates from ${REFRESHED_ON}, 45 days ago. Newer ones are missing.`;
    await page.getByText(told).waitFor();
    await checkPage(opened);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue with' }).waitFor();
    expect(await notice(page).count()).toBe(0);
  });
});

// Last, since it uses up this person's rate limit.
describe.skipIf(!HAS_BROWSER)('the rate limit', () => {
  it('makes the page wait as long as the response asks, say so, and continue', async () => {
    const opened = await visitConnected('ada');
    const { page } = opened;
    const sent: number[] = [];
    await page.route('**/api/scan', async (route) => {
      sent.push(performance.now());
      if (sent.length > 1) return route.continue();
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '3' },
        contentType: 'application/problem+json',
        body: JSON.stringify({ title: 'Too many requests', status: 429, code: 'rate-limited' }),
      });
    });
    await page.getByRole('button', { name: 'Scan all' }).click();
    await page
      .getByText(/Rate limit reached: continuing in [123] seconds?\./)
      .first()
      .waitFor();
    await page.getByText('7 of 7 repositories scanned.').first().waitFor();
    expect(sent).toHaveLength(8);
    expect((sent[4] ?? 0) - (sent[0] ?? 0)).toBeGreaterThanOrEqual(3_000);
    forgetStatus(opened, 429);
    expect(opened.complaints).toEqual([]);
  });

  it.runIf(FULL)(
    'makes the page wait for the server’s real window',
    async () => {
      const opened = await visitConnected('ada');
      const { page } = opened;
      const used = await page.evaluate(async () => {
        const stored = Object.entries(localStorage).find(([key]) => key.includes('auth-token'))?.[1] as string;
        const { access_token: token } = JSON.parse(stored) as { access_token: string };
        for (let count = 1; count <= 200; count += 1) {
          const { status } = await fetch('/api/capabilities', { headers: { authorization: `Bearer ${token}` } });
          if (status === 429) return count;
        }
        return 0;
      });
      expect(used).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Scan all' }).click();
      await page
        .getByText(/Rate limit reached: continuing in \d+ seconds\./)
        .first()
        .waitFor();
      await page.getByText('7 of 7 repositories scanned.').first().waitFor({ timeout: 75_000 });
      forgetStatus(opened, 429);
      expect(opened.complaints).toEqual([]);
    },
    100_000,
  );
});
