import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type BenchService, withBenchService } from './bench-service.ts';

const [repositories = 1_000, findings = 50] = process.argv.slice(2, 4).map(Number);
const ROUNDS = 3;
const ROWS_OF_A_PAGE = 50;
const SETTLED_MS = 1_500;

const WIDTH = 9;
const COLUMNS = [
  { key: 'firstScripts', name: 'first kB', most: 250 },
  { key: 'laterScripts', name: 'later kB', most: 100 },
  { key: 'firstPaint', name: 'paint ms', most: 500 },
  { key: 'coldData', name: 'cold ms', most: 1_200 },
  { key: 'warmData', name: 'inside', most: 300 },
  { key: 'press', name: 'press', most: 200 },
  { key: 'shift', name: 'shift', most: 0.02 },
  { key: 'rows', name: 'rows', most: ROWS_OF_A_PAGE },
  { key: 'elements', name: 'elements', most: null },
] as const;

type Measured = Partial<Record<(typeof COLUMNS)[number]['key'], number>>;

interface Target {
  readonly name: string;
  readonly path: string;
  readonly data: string;
  readonly link?: string;
}

interface Probe {
  paint: number;
  data: number;
  shift: number;
  press: number;
}

function targetsOf({ org, repoIds }: BenchService['world'], path: string): readonly Target[] {
  const base = `/o/${org}`;
  const row = 'main tbody tr';
  return [
    { name: 'overview', path: base, data: 'main article', link: 'Overview' },
    { name: 'attack paths', path: `${base}/paths`, data: 'main article', link: 'Attack paths' },
    { name: 'one path', path, data: 'main ol li h3' },
    { name: 'findings', path: `${base}/findings`, data: row, link: 'Findings' },
    { name: 'findings, list', path: `${base}/findings?group=none`, data: '[data-finding]' },
    { name: 'findings, page 100', path: `${base}/findings?group=none&page=100`, data: '[data-finding]' },
    { name: 'repositories', path: `${base}/repositories`, data: row, link: 'Repositories' },
    { name: 'one repository', path: `${base}/repositories/${repoIds[0]}`, data: row },
    { name: 'rules', path: `${base}/rules`, data: row, link: 'Rules' },
    { name: 'rules, matrix', path: `${base}/rules?tab=matrix`, data: 'main [role=grid]' },
    { name: 'actions', path: `${base}/actions`, data: 'main p.font-semibold', link: 'Actions' },
    { name: 'campaigns', path: `${base}/campaigns`, data: row, link: 'Campaigns' },
    { name: 'new campaign', path: `${base}/campaigns/new`, data: 'main input[type=radio]' },
    { name: 'activity', path: `${base}/activity`, data: 'main li', link: 'Activity' },
    { name: 'settings', path: `${base}/settings`, data: 'main input', link: 'Settings' },
    { name: 'members', path: `${base}/settings?tab=members`, data: row },
    { name: 'account', path: '/account', data: 'main h2' },
    { name: 'set-up', path: '/setup', data: row },
  ];
}

const size = { repositories, findings, scansPerRepository: 3, members: 20 };
await withBenchService(size, async (service) => {
  const executablePath = process.env['CHROME_PATH'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const broken = await measureAll(browser, service);
    if (broken > 0) process.exitCode = 1;
  } finally {
    await browser.close();
  }
});

async function measureAll(browser: Browser, service: BenchService): Promise<number> {
  await decideAndPlan(service);
  const targets = targetsOf(service.world, await addressOfPath(service));
  process.stdout.write(`\n${''.padEnd(20)}${COLUMNS.map(({ name }) => name.padStart(WIDTH)).join('')}\n`);
  process.stdout.write(
    `${'budget'.padEnd(20)}${COLUMNS.map(({ most }) => String(most ?? '').padStart(WIDTH)).join('')}\n`,
  );
  let broken = 0;
  for (const target of targets) {
    try {
      await measureCold(browser, service, target);
      const rounds: Measured[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureCold(browser, service, target));
      const press = target.name === 'findings, list' ? { press: await measurePresses(browser, service) } : {};
      broken += print(target.name, {
        ...medianOf(rounds),
        ...(await measureInside(browser, service, target)),
        ...press,
      });
    } catch (error) {
      broken += 1;
      process.stdout.write(`${target.name.padEnd(20)} not measured: ${(error as Error).message}\n`);
    }
  }
  process.stdout.write(`\n${broken === 0 ? 'All budgets are kept.' : `Budgets broken (*): ${broken}`}\n`);
  return broken;
}

async function decideAndPlan({ web, users, world: { org, repoIds, fingerprints } }: BenchService): Promise<void> {
  const some = repoIds.slice(0, 100);
  const send = async (path: string, method: string, body: object) => {
    const response = await fetch(`${web}${path}?org=${org}`, {
      method,
      headers: { authorization: `Bearer ${users[0]?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  const fingerprint = fingerprints.at(-1);
  await send('/api/findings/status:batch', 'PUT', {
    changes: some.map((repo_id) => ({ repo_id, fingerprint, status: 'dismissed' })),
  });
  await send('/api/campaigns', 'POST', { ruleset: 'owasp', repo_ids: some });
}

async function addressOfPath({ web, users, world: { org } }: BenchService): Promise<string> {
  const ask = () =>
    fetch(`${web}/api/attack-paths?org=${org}&limit=1`, { headers: { authorization: `Bearer ${users[0]?.token}` } });
  let response = await ask();
  while (response.status === 503 && response.headers.has('retry-after')) response = await ask();
  if (!response.ok) throw new Error(`GET /api/attack-paths: ${response.status} ${await response.text()}`);
  const { repos } = (await response.json()) as {
    readonly repos: readonly {
      readonly repo_id: string;
      readonly combos: readonly {
        readonly id: string;
        readonly components: readonly { readonly finding: { readonly fingerprint: string } }[];
      }[];
    }[];
  };
  const repository = repos.find(({ combos }) => combos.length > 0);
  const path = repository?.combos[0];
  const fingerprint = path?.components[0]?.finding.fingerprint;
  return `/o/${org}/paths/${repository?.repo_id}/${path?.id}?f=${fingerprint}`;
}

async function openContext(browser: Browser, { config, users: [user], world }: BenchService): Promise<BrowserContext> {
  if (user === undefined) throw new Error('no users');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const session = {
    access_token: user.token,
    refresh_token: 'none',
    token_type: 'bearer',
    expires_in: 3_600,
    expires_at: Math.floor(Date.now() / 1_000) + 3_600,
    user: { id: user.id, email: `${user.id}@example.com`, user_metadata: { user_name: 'bench' }, app_metadata: {} },
  };
  const key = `sb-${new URL(config.url).hostname.split('.')[0]}-auth-token`;
  await context.addInitScript(
    ([name, text, org]) => {
      localStorage.setItem(name, text);
      localStorage.setItem('chainbreak.org', org);
    },
    [key, JSON.stringify(session), world.org] as const,
  );
  return context;
}

async function measureCold(browser: Browser, service: BenchService, { path, data }: Target): Promise<Measured> {
  const context = await openContext(browser, service);
  const page = await context.newPage();
  await page.addInitScript(probe, data);
  const html = await (await page.goto(`${service.web}${path}`))?.text();
  const { paint, data: at, shift } = await settled(page);
  const first = new Set([...(html ?? '').matchAll(/<script[^>]*\ssrc="([^"?]*)[^>]*>/g)].flatMap(scriptOf));
  const all = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => (new URL(name).pathname.endsWith('.js') ? name : [])),
  );
  const later = new Set(all.map((each) => new URL(each).pathname).filter((each) => !first.has(each)));
  const counted = await page.evaluate(() => ({
    rows: Math.max(0, ...[...document.querySelectorAll('main tbody')].map(({ children }) => children.length)),
    elements: document.querySelectorAll('*').length,
  }));
  await context.close();
  return {
    firstScripts: kilobytesOf(first),
    laterScripts: kilobytesOf(later),
    firstPaint: paint,
    coldData: at,
    shift,
    ...counted,
  };
}

/** The legacy polyfill is loaded by no browser that the pages support. */
function scriptOf([tag, source = '']: RegExpMatchArray): readonly string[] {
  return tag.includes('noModule') || !source.startsWith('/_next/') ? [] : [source];
}

function kilobytesOf(sources: ReadonlySet<string>): number {
  const files = [...sources].map((source) =>
    readFileSync(`.next/${decodeURIComponent(source).slice('/_next/'.length)}`),
  );
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1_000;
}

async function measureInside(browser: Browser, service: BenchService, { link, data }: Target): Promise<Measured> {
  if (link === undefined) return {};
  const context = await openContext(browser, service);
  const page = await context.newPage();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${service.web}/o/${service.world.org}/${link === 'Settings' ? 'activity' : 'settings'}`);
    const target = page
      .getByRole('navigation', { name: 'Organization' })
      .getByRole('link', { name: new RegExp(`^${link}`) });
    await target.waitFor();
    await page.waitForTimeout(SETTLED_MS);
    const found = page.evaluate(
      (selector) =>
        new Promise<number>((resolve) => {
          let pressed = 0;
          addEventListener('click', () => (pressed = performance.now()), { capture: true, once: true });
          const heading = document.querySelector('h1')?.textContent;
          const look = () => {
            const isThere = document.querySelector('h1')?.textContent !== heading && document.querySelector(selector);
            if (pressed > 0 && isThere) resolve(performance.now() - pressed);
            else requestAnimationFrame(look);
          };
          look();
        }),
      data,
    );
    found.catch(() => {});
    await target.click();
    times.push(await found);
  }
  await context.close();
  return { warmData: middle(times) };
}

async function measurePresses(browser: Browser, service: BenchService): Promise<number> {
  const context = await openContext(browser, service);
  const page = await context.newPage();
  await page.addInitScript(probe, '[data-finding]');
  const counts = { high: 1, medium: 0, low: 0, info: 0 };
  await page.route('**/api/scan', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await route.fulfill({ json: { scan_id: service.world.org, counts, findings: 1, new_findings: 0 } });
  });
  await page.goto(`${service.web}/o/${service.world.org}/repositories`);
  await page.getByRole('button', { name: /^Scan all/ }).click();
  await page.getByRole('link', { name: /^Findings/ }).click();
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('none');
  await page.locator('[data-finding]').first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.locator('[data-finding]').first().focus();
  for (const key of ['j', 'j', 'x', 'j', 'x', 'd', 'Escape']) await page.keyboard.press(key);
  await page.locator('[data-finding]').nth(5).click();
  await page.getByRole('heading', { name: 'Recommendation' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Title or file').pressSequentially('workflow');
  const { press } = await settled(page);
  await context.close();
  return press;
}

async function settled(page: Page): Promise<Probe> {
  const read = () => page.evaluate(() => (globalThis as unknown as { readonly probe: Probe }).probe);
  try {
    await page.waitForFunction(() => (globalThis as unknown as { readonly probe: Probe }).probe.data > 0);
  } catch (cause) {
    const text = (await page.locator('body').innerText()).slice(0, 2_000);
    throw new Error(`${page.url()} never showed its data:\n${text}`, { cause });
  }
  await page.waitForTimeout(SETTLED_MS);
  return read();
}

function probe(selector: string): void {
  const found: Probe = { paint: 0, data: 0, shift: 0, press: 0 };
  Object.assign(globalThis, { probe: found });
  const watch = (type: string, take: (entry: PerformanceEntry) => void, options: object = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry);
    }).observe({ type, buffered: true, ...options });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') found.paint = startTime;
  });
  watch('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as unknown as { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) found.shift += value;
  });
  const look = () => {
    if (document.querySelector(selector) === null) requestAnimationFrame(look);
    else found.data = performance.now();
  };
  look();
  watch(
    'event',
    ({ duration, name }) => {
      if (/^(?:click|keydown|pointerdown)$/.test(name)) found.press = Math.max(found.press, duration);
    },
    { durationThreshold: 16 },
  );
}

function medianOf(rounds: readonly Measured[]): Measured {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Measured)[];
  return Object.fromEntries(names.map((name) => [name, middle(rounds.map((round) => round[name] ?? 0))]));
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print(page: string, measured: Measured): number {
  let broken = 0;
  const texts = COLUMNS.map(({ key, most }) => {
    const value = measured[key];
    if (value === undefined) return '';
    const isKept = most === null || value <= most;
    if (!isKept) broken += 1;
    return `${value.toFixed(key === 'shift' ? 3 : 0)}${isKept ? '' : '*'}`;
  });
  process.stdout.write(`${page.padEnd(20)}${texts.map((text) => text.padStart(WIDTH)).join('')}\n`);
  return broken;
}
