import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { takeDashboard } from './screenshots-dashboard.ts';

const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'phone-light', colorScheme: 'light', width: 390 },
  { name: 'phone-dark', colorScheme: 'dark', width: 390 },
] as const;

const isDashboard = process.argv[2] === 'dashboard';
const [folder = '.screenshots', second] = process.argv.slice(isDashboard ? 3 : 2);
const base = second ?? 'http://127.0.0.1:3000';
mkdirSync(folder, { recursive: true });

async function reportOf(repo: string): Promise<string> {
  const body = new URLSearchParams({ repo });
  const response = await fetch(`${base}/scan`, { method: 'POST', body, redirect: 'manual' });
  return response.headers.get('location') ?? '/';
}

async function publicPages(): Promise<Readonly<Record<string, string>>> {
  return {
    'report-findings': await reportOf('acme/storefront'),
    'report-clean': await reportOf('acme/clean'),
    'report-empty': await reportOf('globex/scratch'),
    start: '/',
    'start-invalid': '/?problem=validation-failed&repo=acme',
    'start-busy': '/?problem=rate-limited&repo=acme/storefront&wait=37',
    'start-unreachable': '/?problem=scm-unreachable&repo=acme/storefront&wait=60',
    harden: '/harden',
    problems: '/problems',
    problem: '/problems/rate-limited',
    missing: '/nothing/here',
    rules: '/rules',
    'rules-none': '/rules?q=pineapple',
    rule: '/rules/artipacked',
    'rule-of-a-setting': '/rules/actions-can-approve-prs',
    combinations: '/attack-paths',
    combination: '/attack-paths/fork-code-with-credentials',
    actions: '/actions',
    'actions-none': '/actions?q=nobody/nothing',
    'action-missing': '/actions/nobody/nothing',
    'actions-method': '/actions/methodology',
    api: '/docs/api',
    'api-operation': '/docs/api?part=full#createPublicScan',
  };
}

async function take(browser: Browser, name: string, path: string): Promise<void> {
  for (const { name: look, colorScheme, width } of LOOKS) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${base}${path}`, { waitUntil: 'networkidle' });
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    await context.close();
  }
}

const executablePath = process.env['CHROME_PATH'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const taken = isDashboard ? await takeDashboard(browser, folder, LOOKS, second ?? '') : await takePublic();
await browser.close();
process.stdout.write(`${taken} pictures in ${folder}\n`);

async function takePublic(): Promise<number> {
  const pages = Object.entries(await publicPages());
  for (const [name, path] of pages) await take(browser, name, path);
  return pages.length * LOOKS.length;
}
