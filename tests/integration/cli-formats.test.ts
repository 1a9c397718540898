import { describe, expect, it } from 'vitest';
import { combinationUrl, ruleUrl } from '#lib/report/links.ts';
import { createReport } from '#lib/report/report.ts';
import { toTerminal } from '#lib/report/terminal.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const MIXED = `on: pull_request_target
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4.2.2
        with:
          ref: \${{ github.event.pull_request.head.sha }}
      - run: npm ci && npm test
        env:
          TOKEN: \${{ secrets.TOKEN }}
      - run: echo "\${{ github.event.pull_request.title }}"
  other:
    runs-on: ubuntu-24.04
    container: node:22
    steps:
      - uses: acme/tool@v1
`;
const QUIET =
  'name: Quiet\non: push\npermissions: {}\njobs:\n  a:\n    name: A\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps: [{ run: make }]\n';

async function scan(...flags: readonly string[]): Promise<string> {
  return (await runCli(['scan', temporaryFolder({ [CI]: MIXED }), ...flags])).stdout;
}

describe('scan --format text', () => {
  it('draws HIGH and MEDIUM, folds LOW into a line a rule, counts INFO, and ends with a table by rule', async () => {
    const stdout = await scan();
    const [, low = ''] = /\n LOW \n([^]*?)\n\n/.exec(stdout) ?? [];
    expect(low.split('\n').length).toBeGreaterThan(1);
    for (const line of low.split('\n')) expect(line).toMatch(/^ {3}[a-z-]+ +\.github\/[^ ]+(?:, |$)/);
    expect(stdout).not.toMatch(/\n LOW {2}[a-z]/);
    expect(stdout).toMatch(/\nBy rule\n {3}HIGH +template-injection +1 [^]*\n\n\d+ high, /);
  });

  it('lists INFO when --min-severity asks for it, and everything in full with --verbose', async () => {
    const folder = temporaryFolder({
      [CI]: 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{ run: make }]\n',
    });
    const listing = async (...flags: string[]): Promise<string> =>
      (await runCli(['scan', folder, '--pedantic', ...flags])).stdout;
    expect(await listing()).toMatch(/\n INFO {2}\d+ findings? \(--min-severity info lists them\)/);
    expect(await listing('--min-severity', 'info')).toMatch(/\n INFO \n {3}[a-z-]+ +\.github/);
    expect(await listing('--verbose')).toMatch(/\n INFO {2}[a-z-]+ {2}[^]*= why/);
  });

  it('underlines the places that explain a finding, with words', async () => {
    const stdout = await scan();
    expect(stdout).toMatch(/ 1 │ on: pull_request_target\n +│ {5}-+ outsiders start the run with this\n/);
    expect(stdout).toMatch(
      /ref: \$\{\{ github.event.pull_request.head.sha \}\}\n +│ +-+ the fork’s code is checked out here\n/,
    );
    expect(stdout).toMatch(/ 9 │ +- run: npm ci && npm test\n +│ +\^+\n/);
  });

  it('says which findings fix can change, and how many', async () => {
    const stdout = await scan();
    expect(stdout).toMatch(/ci\.yml:12:20 HIGH \[fix\]\n/);
    expect(stdout).toMatch(/"chainbreak fix" changes \d+, "chainbreak fix --unsafe" \d+ more\.\n/);
  });

  it('says in a line that there is no attack path', async () => {
    const { stdout } = await runCli(['scan', temporaryFolder({ [CI]: QUIET })]);
    expect(stdout).toMatch(/^No attack paths found: \d+ of \d+ kinds were checked in full\n/);
  });

  it('puts rules with the worst attack path first within a severity', async () => {
    const stdout = await scan();
    const sections = [...stdout.matchAll(/^ HIGH {2}([a-z-]+)/gm)].map(([, id]) => id);
    expect(sections.slice(0, 2)).toEqual(['template-injection', 'untrusted-checkout-exec']);
  });

  it('links rules on a terminal that can, prints their address in CI, and neither otherwise', () => {
    const repository = createRepository([{ path: CI, text: MIXED }]);
    const report = createReport('0.1.0', 'all', [{ root: '.', result: scanRepository(repository) }]);
    const drawn = (links: 'none' | 'url' | 'terminal'): string =>
      toTerminal(report, { color: false, width: 100, verbose: false, links });
    const url = ruleUrl('template-injection');
    expect(drawn('terminal')).toContain(`\u001B]8;;${url}\u001B\\template-injection\u001B]8;;\u001B\\`);
    expect(drawn('url')).toContain(`   = more    ${url}\n`);
    expect(drawn('none')).not.toContain('://');
    expect(new URL(combinationUrl('x')).protocol).toBe('https:');
  });
});

describe('scan --format markdown', () => {
  it('has counts, attack paths with the first fix, HIGH in full, LOW folded and INFO as a number', async () => {
    const stdout = await scan('--format', 'markdown');
    expect(stdout).toMatch(/\n\| attack paths \| 2 \| \d \| \d \| \| \|\n\| findings \| \| \d/);
    const order = ['## Attack paths', '**Fix first:** ', '### CRITICAL `', '## HIGH [`', '<details>', '## By rule'];
    const places = order.map((text) => stdout.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('shows code of our own texts as code, and no backslash where nothing needs one', async () => {
    const stdout = await scan('--format', 'markdown');
    expect(stdout).toContain('Set `permissions: { contents: read }` (or `{}`) at the top of the workflow');
    expect(stdout).not.toMatch(/\\[-(){}#+!.]/);
  });

  it('names the rules that were not assessed once a reason', async () => {
    const stdout = await scan('--format', 'markdown');
    expect(stdout.slice(stdout.indexOf('## Not assessed')).match(/^- /gm)).toHaveLength(1);
  });
});

describe('scan --format github', () => {
  it('gives attack paths first, then findings by severity, then addresses of the rules', async () => {
    const lines = (await scan('--format', 'github')).trimEnd().split('\n');
    const names = lines.flatMap((line) => /^::(error|warning|notice) /.exec(line)?.[1] ?? []);
    expect(lines[0]).toMatch(/title=event-text-to-shell-with-credentials%3A .*::Attack path: /);
    const order = ['error', 'warning', 'notice'];
    const findings = names.slice(2);
    expect(findings).toEqual([...findings].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(new Set(findings).size).toBe(3);
    expect(lines.some((line) => line.endsWith(`template-injection  ${ruleUrl('template-injection')}`))).toBe(true);
    expect(lines).toContain('Fix first: 2 fixes end all 2 attack paths');
  });
});
