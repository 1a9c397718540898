import { existsSync, readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import { getCurrentTest } from 'vitest/suite';
import { FULL } from './effort.ts';
import { openPage, type PageOptions } from './open-page.ts';

export { endVisits } from './open-page.ts';

/** The headless shell comes first: it draws no windows, which takes a quarter off the processor time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

const path = [process.env['CHROME_PATH'], ...PATHS].find((candidate) => candidate && existsSync(candidate));

/** Without a browser its tests are skipped with a notice; `CHAINBREAK_REQUIRE_BROWSER=1` makes them fail. */
export const HAS_BROWSER = path !== undefined || process.env['CHAINBREAK_REQUIRE_BROWSER'] === '1';

if (!HAS_BROWSER) process.stderr.write('Browser tests are skipped: no Chromium was found. CHROME_PATH names one.\n');

let shared: Promise<Browser> | undefined;

export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

async function launchBrowser(): Promise<Browser> {
  if (path === undefined) throw new Error('No Chromium was found. CHROME_PATH names one.');
  // The sandbox needs privileges that containers do not give; the pages are our own.
  // Pages live for seconds: optimized code would not pay.
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', '--js-flags=--no-opt,--no-maglev'] });
}

export interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

export async function visit(browser: Browser, url: string, options: PageOptions = {}): Promise<Visit> {
  const settings = { viewport: { width: 1280, height: 900 }, colorScheme: 'light', ...options } as const;
  const complaints: string[] = [];
  const page = await openPage(browser, url, settings, (opened) => {
    if (getCurrentTest() !== undefined) onTestFailed(() => tellWhatShows(opened, complaints));
    opened.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // The page itself may be a 404.
      if (message.text().startsWith('Failed to load resource') && message.location().url === url) return;
      complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
  });
  if (options.javaScriptEnabled !== false) await page.waitForFunction(isHydrated);
  return { page, complaints };
}

async function tellWhatShows(page: Page, complaints: readonly string[]): Promise<void> {
  const text = page.isClosed() ? 'closed' : await page.locator('body').innerText({ timeout: 5_000 });
  process.stderr.write(`${page.url()} shows:\n${text.slice(0, 3_000)}\n${complaints.join('\n')}\n`);
}

function isHydrated(): boolean {
  if (document.querySelector('script[src*="/_next/"]') === null) return true;
  return [document.body, document.querySelector('h1')].every(
    (element) => element === null || Object.keys(element).some((key) => key.startsWith('__reactFiber')),
  );
}

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

const PHONE = { width: 375, height: 700 };
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

/** What depends on colours and sizes; the rest is equal in both themes. */
const STYLE_RULES = [
  'color-contrast',
  'link-in-text-block',
  'target-size',
  'scrollable-region-focusable',
  'aria-hidden-focus',
];

const SAMPLE = 4;
const measuredLooks = { light: new Set<string>(), dark: new Set<string>() };

export async function checkPage({ page, complaints }: Visit): Promise<void> {
  const viewport = page.viewportSize();
  // After a link inside the dashboard the title follows the page.
  await page.waitForFunction(() => document.title !== '');
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  for (const [colorScheme, size, runOnly] of [
    ['light', viewport, TAGS],
    ['dark', PHONE, FULL ? TAGS : STYLE_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    if (size !== null) await page.setViewportSize(size);
    await page.evaluate(nextFrame);
    const known = measuredLooks[colorScheme];
    const looks = FULL ? [] : await page.evaluate(sampleTexts, { most: SAMPLE, known: [...known] });
    expect(
      await page.evaluate(findViolations, [...runOnly]),
      `${page.url()} in ${colorScheme}, ${size?.width} px`,
    ).toEqual([]);
    // Stored after the page passed, so that a retry of a failed test measures them again.
    for (const look of looks) known.add(look);
  }
  expect(await overflowOf(page), `${page.url()} at ${PHONE.width} px`).toBeLessThanOrEqual(0);
  expect(complaints, page.url()).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  if (viewport !== null) await page.setViewportSize(viewport);
}

export function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
            if (!entry.hadRecentInput) sum += entry.value;
          }
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(sum)));
      }),
  );
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/**
 * Limits the measurement of contrast to a few texts of each look that is not known, and returns the looks. Texts look the
 * same if they and the elements around them have equal tags, classes, colours and sizes.
 */
function sampleTexts({ most, known }: { readonly most: number; readonly known: readonly string[] }): string[] {
  const { axe } = globalThis as unknown as { readonly axe: typeof import('axe-core') };
  const mark = 'data-contrast-sample';
  axe.configure({ rules: [{ id: 'color-contrast', selector: `[${mark}]` }] });
  const looks = new Map<Element, string>();
  const lookOf = (element: Element): string => {
    const found = looks.get(element);
    if (found !== undefined) return found;
    const { parentElement: parent } = element;
    const style = getComputedStyle(element);
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, position } = style;
    const own = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, position];
    const text = [parent && lookOf(parent), element.tagName, element.getAttribute('class'), ...own].join('|');
    let hash = 0n;
    for (let index = 0; index < text.length; index += 1)
      hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
    looks.set(element, hash.toString(36));
    return hash.toString(36);
  };
  const counts = new Map(known.map((look) => [look, most]));
  for (const element of document.querySelectorAll('*')) {
    element.removeAttribute(mark);
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const hasText =
      own.some(({ nodeValue }) => /\S/.test(nodeValue ?? '')) || element.matches('input, select, textarea');
    if (!hasText || !element.checkVisibility()) continue;
    const look = lookOf(element);
    const count = (counts.get(look) ?? 0) + 1;
    counts.set(look, count);
    if (count <= most) element.setAttribute(mark, '');
  }
  return [...counts.keys()];
}

async function findViolations(runOnly: string[]): Promise<string[]> {
  const { axe } = globalThis as unknown as { readonly axe: typeof import('axe-core') };
  const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
