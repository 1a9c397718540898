import { join } from 'node:path';
import pMap from 'p-map';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createAdminDb } from '#lib/db/clients.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { INITECH } from '#lib/simulator/initech.ts';
import { type Stack, startStack } from '../../tests/support/stack.ts';
import { buildWeb } from '../../tests/support/web.ts';
import { exampleOutcomes, syntheticScan } from './bench-api-paths.ts';

export interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

const ACME = 6001;
const SETTLED_MS = 400;
const BUSY_MS = 120_000;
const MANY_REPOSITORIES = 200;
const FINDINGS_EACH = 250;

interface Orgs {
  readonly empty: string;
  readonly clean: string;
  readonly one: string;
  readonly storefront: string;
  readonly acme: string;
  readonly many: string;
  readonly initech: string;
}

type Shot = readonly [name: string, path: string, act?: (page: Page) => Promise<void>];

export async function takeDashboard(
  browser: Browser,
  folder: string,
  looks: readonly Look[],
  wanted: string,
): Promise<number> {
  await buildWeb();
  const stack = await startStack({}, { initech: true });
  try {
    const ada = await signIn(browser, stack, 'ada');
    const bill = await signIn(browser, stack, 'bill');
    const noor = await signIn(browser, stack, 'noor');
    const orgs = await seed(stack, ada, bill);
    const parts = wanted.split(',');
    let taken = 0;
    for (const [context, shots] of [
      [noor, firstVisits()],
      [ada, await shotsOf(ada, stack, orgs)],
      [bill, campaignsOf(orgs)],
    ] as const) {
      for (const shot of shots.filter(([name]) => parts.some((part) => name.includes(part)))) {
        taken += await take(context, stack, folder, looks, shot);
      }
    }
    return taken;
  } finally {
    await stack.stop();
  }
}

async function take(
  context: BrowserContext,
  stack: Stack,
  folder: string,
  looks: readonly Look[],
  [name, path, act]: Shot,
): Promise<number> {
  const page = await context.newPage();
  await page.goto(`${stack.web.url}${path}`, { waitUntil: 'networkidle' });
  for (const { name: look, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    if (act !== undefined) {
      await page.goto(`${stack.web.url}${path}`, { waitUntil: 'networkidle' });
      await act(page);
    }
    await page.waitForTimeout(SETTLED_MS);
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: act === undefined });
  }
  await page.close();
  return looks.length;
}

async function signIn(browser: Browser, stack: Stack, person: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(BUSY_MS);
  const page = await context.newPage();
  await page.goto(`${stack.web.url}/signin?next=/setup`);
  await page.getByRole('button', { name: 'Continue with the local code host' }).click();
  await page.getByRole('button', { name: `(${person})` }).click();
  await page.getByText(`Signed in as ${person}`).waitFor();
  await page.close();
  return context;
}

async function seed(stack: Stack, ada: BrowserContext, bill: BrowserContext): Promise<Orgs> {
  const page = await openApi(ada, stack);
  const team = async (name: string) => (await call<{ id: string }>(page, '/api/orgs', { name })).id;
  const connected = async (name: string, scanned: (fullName: string) => boolean) => {
    const org = await team(name);
    await call(page, `/api/scm/callback?installation_id=${ACME}&org=${org}`);
    await scanAll(page, org, scanned);
    return org;
  };
  const empty = await team('Nothing yet');
  const clean = await connected('Clean', (name) => name === 'acme/clean');
  const one = await connected('One finding', (name) => name === 'acme/storefront');
  await dismissAllButOne(stack, page, one);
  await stack.forgetVisitors();
  const storefront = await connected('Storefront', (name) => name === 'acme/storefront');
  const acme = await connected('Acme', () => true);
  const many = await team('Many');
  await seedMany(stack, many);
  await page.close();

  const other = await openApi(bill, stack);
  const { id: initech } = await call<{ id: string }>(other, '/api/orgs', { name: 'Initech' });
  await call(other, `/api/scm/callback?installation_id=${INITECH.installationId}&org=${initech}`);
  await scanAll(other, initech, () => true);
  await other.close();
  return { empty, clean, one, storefront, acme, many, initech };
}

async function scanAll(page: Page, org: string, isWanted: (fullName: string) => boolean): Promise<void> {
  const { repositories: listed } = await call<{ repositories: { id: string; full_name: string }[] }>(
    page,
    `/api/repos?org=${org}`,
  );
  for (const { id, full_name: name } of listed) if (isWanted(name)) await call(page, '/api/scan', { repo_id: id });
}

async function dismissAllButOne(stack: Stack, page: Page, org: string): Promise<void> {
  const others = await stack.database.sql(
    'select repo_id, fingerprint from public.finding_ledger where org_id = $1 order by severity_rank desc, fingerprint offset 1',
    [org],
  );
  const changes = others.map((key) => ({ ...key, status: 'dismissed' }));
  await call(page, `/api/findings/status:batch?org=${org}`, { changes }, 'PUT');
}

async function seedMany({ database }: Stack, org: string): Promise<void> {
  const admin = createAdminDb({
    url: database.url,
    publishableKey: database.publishableKey,
    secretKey: database.secretKey,
  });
  const [member] = await database.sql<{ user_id: string }>('select user_id from public.org_members where org_id = $1', [
    org,
  ]);
  const user = member?.user_id ?? '';
  const installation = '987654';
  await repositories.linkInstallation(admin, user, org, {
    installation_id: installation,
    account: 'umbrella',
    account_type: 'Organization',
  });
  const listed = await repositories.sync(admin, user, org, {
    listed: [
      {
        installation_id: installation,
        repositories: Array.from({ length: MANY_REPOSITORIES }, (_, index) => ({
          scm_id: String(5_000_000 + index),
          full_name: `umbrella/service-${String(index).padStart(3, '0')}`,
          private: index % 3 === 0,
          html_url: `https://example.com/umbrella/service-${index}`,
          default_branch: 'main',
          archived: index % 41 === 0,
        })),
      },
    ],
    gone: [],
  });
  const fingerprints = Array.from({ length: FINDINGS_EACH }, (_, index) => index.toString(16).padStart(64, '0'));
  const outcomes = exampleOutcomes('umbrella');
  await pMap(
    listed,
    async ({ id, full_name: name }, index) => {
      const outcome = outcomes[index % outcomes.length];
      if (outcome !== undefined) await scans.persist(admin, syntheticScan(id, name, user, fingerprints, outcome));
    },
    // One at a time: the embedded database has one thread, and a scan that waits for others times out.
    { concurrency: 1 },
  );
}

function firstVisits(): readonly Shot[] {
  const elsewhere = '11111111-1111-4111-8111-111111111111';
  return [
    ['setup-nothing', '/setup'],
    ['setup-permissions', '/setup', (page) => page.getByText('What the app may do').click()],
    ['setup-choose', `/setup?installation_id=${ACME}`],
    ['setup-waiting', '/setup?setup_action=request'],
    ['setup-broken', '/setup?installation_id=x'],
    ['org-not-yours', `/o/${elsewhere}`],
    ['account', '/account'],
    ['account-new-team', '/account?new=organization', (page) => page.getByRole('dialog').waitFor()],
    ['notifications', '/account/notifications'],
    ['invites-none', '/invites'],
    ['invite-unknown', `/invites/${elsewhere}`],
  ];
}

async function shotsOf(ada: BrowserContext, stack: Stack, orgs: Orgs): Promise<readonly Shot[]> {
  const sections = ['', 'paths', 'findings', 'repositories', 'rules', 'actions', 'campaigns', 'activity', 'settings'];
  const everySection = (state: string, org: string): Shot[] =>
    sections.map((section) => [`${section || 'overview'}-${state}`, `/o/${org}/${section}`]);
  const openFirst = async (page: Page) => {
    await page.locator('[data-finding]').first().click();
    await page.getByRole('heading', { name: 'Recommendation' }).waitFor();
  };
  const path = await firstPath(ada, stack, orgs.storefront);
  const list = `/o/${orgs.storefront}/findings?group=none`;
  return [
    ...everySection('none', orgs.empty),
    ...everySection('clean', orgs.clean),
    ...everySection('one', orgs.one),
    ...everySection('37', orgs.storefront),
    ...everySection('83', orgs.acme),
    ...everySection('many', orgs.many),
    ['findings-list-many', `/o/${orgs.many}/findings?group=none&page=100`],
    ['rules-matrix', `/o/${orgs.many}/rules?tab=matrix`],
    [
      'setup-connected',
      '/setup',
      async (page) => {
        await page.getByRole('combobox', { name: 'Organization' }).selectOption('Acme');
        await page.getByRole('table').waitFor();
      },
    ],
    ['findings-list-37', list],
    ['findings-no-match', `${list}&q=pineapple`],
    ['finding-drawer', list, openFirst],
    [
      'findings-selected',
      list,
      async (page) => page.getByRole('checkbox', { name: 'Select all on this page' }).check(),
    ],
    [
      'findings-decide',
      list,
      async (page) => {
        await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
        await page.getByRole('button', { name: 'Snooze' }).click();
      },
    ],
    ['path', path],
    ['path-gone', `${path}?f=gone`],
    ['path-not-yours', `/o/${orgs.clean}${path.slice(path.indexOf('/paths/'))}`],
    ['palette', `/o/${orgs.acme}`, (page) => page.keyboard.press('Control+k')],
    ['shortcuts', `/o/${orgs.acme}`, (page) => page.keyboard.press('Shift+?')],
    ['overview-broken', `/o/${orgs.acme}`, showWithoutDatabase],
    ['person-menu', `/o/${orgs.acme}`, (page) => page.getByRole('button', { name: 'Account of ada' }).click()],
    ['repository', path.replace('/paths/', '/repositories/').split('/').slice(0, -1).join('/')],
    ['settings-members', `/o/${orgs.acme}/settings?tab=members`],
    ['settings-policy', `/o/${orgs.acme}/settings?tab=policy`],
    ['settings-connections', `/o/${orgs.acme}/settings?tab=connections`],
    [
      'navigation',
      `/o/${orgs.acme}`,
      async (page) => {
        const open = page.getByRole('button', { name: 'Open the navigation' });
        if (await open.isVisible()) await open.click();
        else await page.getByRole('button', { name: 'Organization: Acme' }).click();
      },
    ],
  ];
}

function campaignsOf({ initech }: Orgs): readonly Shot[] {
  return [
    ['repositories-40', `/o/${initech}/repositories`],
    ['findings-initech', `/o/${initech}/findings?group=none`],
    ['campaign-new', `/o/${initech}/campaigns/new`],
    ['repositories-archived', `/o/${initech}/repositories?archived=true`],
    [
      'campaign-preview',
      `/o/${initech}/campaigns/new`,
      async (page) => {
        await page.getByRole('button', { name: 'Choose repositories' }).click();
        await page.getByLabel('Name').fill('fax');
        await page.getByRole('button', { name: 'Select all 4 that match' }).click();
        await page.getByRole('button', { name: 'Preview the fixes in 4 repositories' }).click();
        await page.getByText('4 of 4 repositories.').first().waitFor();
        await page.getByText('initech/fax-tools').click();
      },
    ],
    [
      'campaign-repositories',
      `/o/${initech}/campaigns/new`,
      (page) => page.getByRole('button', { name: 'Choose repositories' }).click(),
    ],
  ];
}

async function showWithoutDatabase(page: Page): Promise<void> {
  await page.route('**/rest/v1/**', (route) => route.abort());
  await page.reload();
  await page.getByText('could not be').first().waitFor();
}

async function firstPath(context: BrowserContext, stack: Stack, org: string): Promise<string> {
  const page = await openApi(context, stack);
  const { repos } = await call<{ repos: { repo_id: string; combos: { id: string }[] }[] }>(
    page,
    `/api/attack-paths?org=${org}&limit=1`,
  );
  await page.close();
  const found = repos.find(({ combos }) => combos.length > 0);
  return `/o/${org}/paths/${found?.repo_id}/${found?.combos[0]?.id}`;
}

async function openApi(context: BrowserContext, stack: Stack): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${stack.web.url}/setup`, { waitUntil: 'networkidle' });
  return page;
}

async function call<T>(
  page: Page,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const answer = await page.evaluate(
    async ([address, sent, verb]) => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token: string };
      for (;;) {
        const response = await fetch(address, {
          method: verb,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(sent !== undefined && { body: JSON.stringify(sent) }),
        });
        if (response.ok) return (await response.json()) as unknown;
        const wait = Number(response.headers.get('retry-after'));
        if (response.status !== 429) throw new Error(`${address}: ${response.status} ${await response.text()}`);
        await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
      }
    },
    [path, body, method] as const,
  );
  return answer as T;
}
