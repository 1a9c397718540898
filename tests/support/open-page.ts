import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

export type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>;

export interface PageOptions extends BrowserContextOptions {
  readonly storageState?: StorageState;
}

interface Opened {
  readonly settings: BrowserContextOptions;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  readonly origins: Set<string>;
  isSpent: boolean;
}

const used = new Map<BrowserContext, Opened>();
const idle: Opened[] = [];
const MOST_IDLE = 3;

const LISTENED = ['console', 'pageerror', 'dialog', 'framenavigated', 'popup', 'request', 'response'] as const;

/**
 * Opens `url` in a page without a past, after `prepare`. Takes an emptied page of an earlier visit with the same
 * settings if there is one: its process runs and its scripts are cached, which halves the processor time.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { storageState, ...settings }: PageOptions,
  prepare: (page: Page) => void,
): Promise<Page> {
  const kind = JSON.stringify(settings);
  const index = idle.findIndex((one) => JSON.stringify(one.settings) === kind && one.context.browser() === browser);
  const opened = idle.splice(index, index < 0 ? 0 : 1)[0] ?? (await openContext(browser, settings));
  const { context, page, session, origins } = opened;
  used.set(context, opened);
  prepare(page);
  page.on('framenavigated', (frame) => origins.add(new URL(frame.url()).origin));
  await context.addCookies(storageState?.cookies ?? []);
  const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `(${beginVisit.toString()})(${JSON.stringify({ id: crypto.randomUUID(), stored: storageState?.origins ?? [] })})`,
  });
  await page.goto(url);
  await session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(() => (opened.isSpent = true));
  return page;
}

export async function endVisits(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) {
    if (!idle.some((one) => one.context === context)) await endVisit(context);
  }
}

export async function endVisit(context: BrowserContext): Promise<void> {
  const opened = used.get(context);
  used.delete(context);
  if (opened !== undefined && idle.length < MOST_IDLE && (await isEmptied(opened))) idle.push(opened);
  else await context.close();
}

async function openContext(browser: Browser, settings: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext(settings);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Page.enable');
  const opened: Opened = { settings, context, page, session, origins: new Set(), isSpent: false };
  for (const [holder, name] of [
    [page, 'addInitScript'],
    [context, 'addInitScript'],
    [context.clock, 'install'],
  ] as const) {
    const original = Reflect.get(holder, name) as (...values: unknown[]) => unknown;
    Reflect.set(holder, name, (...values: unknown[]) => {
      opened.isSpent = true;
      return original.apply(holder, values);
    });
  }
  return opened;
}

async function isEmptied({ settings, context, page, session, origins, isSpent }: Opened): Promise<boolean> {
  if (isSpent || page.isClosed()) return false;
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const name of LISTENED) page.removeAllListeners(name);
    await Promise.all([page.unrouteAll(), context.unrouteAll(), context.setOffline(false), context.clearPermissions()]);
    // An empty document of the same site: another site would end the process.
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(new URL('/', page.url()).href);
    await page.unrouteAll();
    origins.delete('null');
    for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    origins.clear();
    await context.clearCookies();
    if (settings.permissions) await context.grantPermissions(settings.permissions);
    await page.emulateMedia({
      media: null,
      contrast: null,
      forcedColors: null,
      colorScheme: settings.colorScheme ?? null,
      reducedMotion: settings.reducedMotion ?? null,
    });
    if (settings.viewport) await page.setViewportSize(settings.viewport);
    await page.mouse.move(-1, -1);
    await session.send('Page.resetNavigationHistory');
    return true;
  } catch {
    return false;
  }
}

/** Runs in the page, before its scripts. The name of the window tells a later document that the visit has begun. */
function beginVisit({
  id,
  stored,
}: {
  readonly id: string;
  readonly stored: NonNullable<StorageState['origins']>;
}): void {
  if (location.origin === 'null' || window.name === id) return;
  window.name = id;
  sessionStorage.clear();
  for (const { origin, localStorage: entries } of stored) {
    if (origin === location.origin) for (const { name, value } of entries) localStorage.setItem(name, value);
  }
}
