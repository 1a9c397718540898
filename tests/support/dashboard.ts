import type { Browser, Page } from 'playwright-core';
import { type Visit, visit } from './browser.ts';
import { endVisit, type StorageState } from './open-page.ts';
import type { Stack } from './stack.ts';

/** Users of the local code host, with the installation that each administers. */
export const PEOPLE = { ada: 6001, grace: 6002 } as const;
export type Person = keyof typeof PEOPLE;

export async function signIn(page: Page, person: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with the local code host' }).click();
  await page.getByRole('button', { name: `(${person})` }).click();
}

interface Session {
  readonly storageState: StorageState;
  readonly org: string;
}

const sessions = new WeakMap<object, Map<string, Promise<Session>>>();

/** Opens `path` as a user who signed in before. `{org}` in it stands for the user's personal organization. */
export async function visitAs(stack: Stack, browser: Browser, person: string, path: string): Promise<Visit> {
  const { storageState, org } = await sessionOf(stack, browser, person);
  return visit(browser, `${stack.web.url}${path.replace('{org}', org)}`, { storageState });
}

function sessionOf(stack: Stack, browser: Browser, person: string): Promise<Session> {
  const ofStack = sessions.get(stack.database) ?? new Map<string, Promise<Session>>();
  sessions.set(stack.database, ofStack);
  const session = ofStack.get(person) ?? startSession(stack, browser, person);
  ofStack.set(person, session);
  session.catch(() => ofStack.delete(person));
  return session;
}

async function startSession(stack: Stack, browser: Browser, person: string): Promise<Session> {
  const { page } = await visit(browser, `${stack.web.url}/signin?next=/setup`);
  await signIn(page, person);
  await page.waitForURL('**/setup');
  const { orgs } = (await callApi(page, '/api/orgs')) as { orgs: { id: string; personal: boolean }[] };
  const org = orgs.find(({ personal }) => personal)?.id;
  if (org === undefined) throw new Error('No personal organization');
  const storageState = await page.context().storageState();
  await endVisit(page.context());
  return { storageState, org };
}

export async function connectAndScan(stack: Stack, browser: Browser, person: Person): Promise<string> {
  const { page } = await visitAs(stack, browser, person, '/setup');
  await callApi(page, `/api/scm/callback?installation_id=${PEOPLE[person]}`);
  const { repositories } = (await callApi(page, '/api/repos')) as { readonly repositories: readonly { id: string }[] };
  for (const { id } of repositories) await callApi(page, '/api/scan', { repo_id: id });
  await endVisit(page.context());
  return (await sessionOf(stack, browser, person)).org;
}

/** Calls the API as the page's user. Waits as long as a rate limit asks for: quick machines reach it. */
export async function callApi(page: Page, path: string, body?: unknown, method?: string): Promise<unknown> {
  return page.evaluate(
    async ([address, sent, verb]) => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token: string };
      const request = {
        method: verb ?? (sent === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(sent !== undefined && { body: JSON.stringify(sent) }),
      };
      let response = await fetch(address, request);
      while (response.status === 429) {
        const seconds = Number(response.headers.get('retry-after'));
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        response = await fetch(address, request);
      }
      if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? null : ((await response.json()) as unknown);
    },
    [path, body, method] as const,
  );
}
