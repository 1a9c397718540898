import type { Browser, Page } from 'playwright-core';
import { type Visit, visit } from './browser.ts';
import type { Stack } from './stack.ts';

/** Users of the local code host, with the installation that each administers. */
export const PEOPLE = { ada: 6001, grace: 6002 } as const;
export type Person = keyof typeof PEOPLE;

/** Presses through the sign-in pages of this site and of the code host. */
export async function signIn(page: Page, person: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with the local code host' }).click();
  await page.getByRole('button', { name: `(${person})` }).click();
}

/** Opens `path` as a signed-in user. `/o/{org}` in it stands for the user's personal organization. */
export async function visitAs(stack: Stack, browser: Browser, person: string, path: string): Promise<Visit> {
  const opened = await visit(browser, `${stack.web.url}/signin?next=/setup`);
  const { page } = opened;
  await signIn(page, person);
  await page.waitForURL('**/setup');
  const org = path.includes('{org}') ? await personalOrg(page) : '';
  await page.goto(`${stack.web.url}${path.replace('{org}', org)}`);
  opened.complaints.length = 0;
  return opened;
}

/** Connects a person's installation and scans its repositories, through the API. Returns the personal organization. */
export async function connectAndScan(stack: Stack, browser: Browser, person: Person): Promise<string> {
  const { page } = await visitAs(stack, browser, person, '/setup');
  const org = await personalOrg(page);
  await callApi(page, `/api/scm/callback?installation_id=${PEOPLE[person]}`);
  const { repositories } = (await callApi(page, '/api/repos')) as { readonly repositories: readonly { id: string }[] };
  for (const { id } of repositories) await callApi(page, '/api/scan', { repo_id: id });
  await page.context().close();
  return org;
}

async function personalOrg(page: Page): Promise<string> {
  const { orgs } = (await callApi(page, '/api/orgs')) as { orgs: { id: string; personal: boolean }[] };
  const own = orgs.find(({ personal }) => personal);
  if (own === undefined) throw new Error('No personal organization');
  return own.id;
}

/** Calls the API with the token of the signed-in page. */
export async function callApi(page: Page, path: string, body?: unknown, method?: string): Promise<unknown> {
  return page.evaluate(
    async ([address, sent, verb]) => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token: string };
      const response = await fetch(address, {
        method: verb ?? (sent === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(sent !== undefined && { body: JSON.stringify(sent) }),
      });
      if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? null : ((await response.json()) as unknown);
    },
    [path, body, method] as const,
  );
}
