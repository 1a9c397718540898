import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const OPEN = `name: Build
on: pull_request_target
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4.2.2
        with: { ref: "\${{ github.event.pull_request.head.sha }}", persist-credentials: false }
      - run: npm ci
`;
const MEDIUM = `name: Version
on: { workflow_dispatch: { inputs: { version: { type: string } } } }
permissions: { contents: read }
jobs:
  publish:
    runs-on: ubuntu-24.04
    steps:
      - run: npm version \${{ inputs.version }}
      - run: npm publish
        env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
`;
const QUIET = `name: Quiet
on: push
permissions: {}
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - run: make
`;

describe('chainbreak paths --format json', () => {
  it('has every field of paths, coverage and fix_first', async () => {
    const { code, stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN }), '--format', 'json']);
    const report = JSON.parse(stdout) as Record<string, Record<string, unknown>[]>;
    expect(code).toBe(1);
    expect(Object.keys(report)).toEqual(['combos', 'coverage', 'fix_first']);
    const [path] = report['combos'] ?? [];
    expect(path).toMatchObject({
      root: '.',
      id: 'fork-code-with-credentials',
      severity: 'CRITICAL',
      scope: 'job',
      file: CI,
      break_chain_rule: 'untrusted-checkout',
      mitigated_by: [],
      contains_accepted_risk: false,
    });
    expect(Object.keys(path ?? {})).toEqual([
      'root',
      'id',
      'title',
      'severity',
      'scope',
      'file',
      'impact',
      'break_chain',
      'break_chain_rule',
      'stages',
      'components',
      'mitigated_by',
      'contains_accepted_risk',
    ]);
    const stages = path?.['stages'] as Record<string, unknown>[];
    expect(stages.map(({ order, rule_id }) => [order, rule_id])).toEqual([
      [0, 'dangerous-triggers'],
      [1, 'untrusted-checkout'],
      [2, 'untrusted-checkout-exec'],
      [3, null],
    ]);
    const components = path?.['components'] as { rule_id: string; finding: Record<string, unknown> }[];
    expect(components[0]?.rule_id).toBe('untrusted-checkout');
    expect(components[0]?.finding).toMatchObject({ root: '.', rule_id: 'untrusted-checkout', file: CI, line: 9 });
    expect(report['coverage']?.map(({ id }) => id)).toEqual(combos.map(({ id }) => id));
    expect(report['coverage']?.find(({ id }) => id === 'fork-code-with-credentials')).toEqual({
      id: 'fork-code-with-credentials',
      title: 'Pull-request code runs next to your credentials',
      severity: 'CRITICAL',
      searched_repos: 1,
      blinded_repos: 0,
      partial_repos: 0,
      matched_repos: 1,
      blinded_by: [],
    });
    expect(report['coverage']?.find(({ id }) => id === 'forged-pin')).toMatchObject({
      searched_repos: 0,
      blinded_repos: 1,
      blinded_by: [{ rule_id: 'impostor-commit', reason: 'offline' }],
    });
    expect(report['fix_first']).toEqual([
      {
        root: '.',
        fingerprint: components[0]?.finding['fingerprint'],
        rule_id: 'untrusted-checkout',
        file: CI,
        line: 9,
        breaks: 1,
      },
    ]);
  });

  it('separates several repositories', async () => {
    const folder = temporaryFolder({ [`one/${CI}`]: OPEN, [`two/${CI}`]: OPEN, [`three/${CI}`]: QUIET });
    const report = JSON.parse((await runCli(['paths', folder, '--format', 'json'])).stdout) as {
      combos: { root: string }[];
      coverage: { searched_repos: number; blinded_repos: number }[];
      fix_first: { root: string }[];
    };
    expect(report.combos.map(({ root }) => root)).toEqual(['one', 'two']);
    expect(report.fix_first.map(({ root }) => root)).toEqual(['one', 'two']);
    for (const { searched_repos, blinded_repos } of report.coverage) expect(searched_repos + blinded_repos).toBe(3);
  });
});

describe('exit codes', () => {
  it.each([
    ['paths', OPEN, 'critical', 1],
    ['paths', OPEN, 'never', 0],
    ['paths', MEDIUM, 'high', 0],
    ['paths', MEDIUM, 'medium', 1],
    ['paths', MEDIUM, 'critical', 0],
    ['paths', QUIET, 'info', 0],
    ['scan', OPEN, 'critical', 1],
    ['scan', MEDIUM, 'critical', 0],
    ['scan', OPEN, 'never', 0],
  ])('of %s follow the threshold', async (command, workflow, failOn, code) => {
    const folder = temporaryFolder({ [CI]: workflow });
    expect((await runCli([command, folder, '--fail-on', failOn])).code).toBe(code);
  });
});

describe('--format text', () => {
  it('draws the chain with places, its fix and the coverage', async () => {
    const { stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN })]);
    expect(stdout).toMatch(/CRITICAL {2}fork-code-with-credentials/);
    expect(stdout).toMatch(/● The job checks out their code {2}untrusted-checkout\n[^]*ci\.yml:9\n[^]*▼/);
    expect(stdout).toMatch(/= break {3}Build and test fork code/);
    expect(stdout).toMatch(/Fix first: 1 fix ends the attack path\n {3}ends 1 +untrusted-checkout {2}.*ci\.yml:9/);
    expect(stdout).toMatch(/attack paths checked: \d+ fully/);
    expect(stdout).toMatch(/1 critical attack path\n$/);
  });

  it('lists the fix of the most severe path first, even if another ends more', async () => {
    const release = `on: { push: { tags: ['v*'] } }
permissions: { contents: read, id-token: write }
jobs:
  publish:
    runs-on: ubuntu-latest
    steps:
      - uses: somebody/setup@v1
      - uses: aws-actions/configure-aws-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a
        with: { role-to-assume: "\${{ vars.ROLE }}", aws-region: eu-west-1 }
      - run: npm publish
        env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
`;
    const files = { [CI]: OPEN, '.github/workflows/release.yml': release };
    const { stdout } = await runCli(['paths', temporaryFolder(files)]);
    expect(stdout).toMatch(/Fix first:[^\n]*\n {3}ends 1 +untrusted-checkout {2}.*\n {3}ends 2 +unpinned-uses /);
  });

  it('reports that there are no paths', async () => {
    expect((await runCli(['paths', temporaryFolder({ [CI]: QUIET })])).stdout).toMatch(/No attack paths found\n$/);
  });

  it('comes first in a scan, after the counts and before every finding', async () => {
    const { stdout } = await runCli(['scan', temporaryFolder({ [CI]: OPEN })]);
    expect(stdout).toMatch(
      /^ +critical +high .*\nattack paths +1 [^]*\n\nAttack paths\n CRITICAL {2}Pull-request code runs next to your credentials[^]*Break it:[^]*Fix first/,
    );
    expect(stdout.indexOf('Attack paths')).toBeLessThan(stdout.indexOf('╭'));
  });

  it('draws paths that differ only in their place once, with all places', async () => {
    const job = OPEN.slice(OPEN.indexOf('jobs:\n') + 6);
    const again = ['b', 'c', 'd'].map((name) => job.replace(/^ {2}\w+:/, `  ${name}:`)).join('');
    const { stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN + again })]);
    expect(stdout.match(/fork-code-with-credentials/g)).toHaveLength(1);
    for (const name of ['b', 'c', 'd']) expect(stdout).toContain(`${CI}, job ${name}\n`);
    expect(stdout).toMatch(/Fix first: 4 fixes end all 4 attack paths/);
    expect(stdout).toMatch(/4 critical attack paths\n$/);
  });
});

it('a ruleset hides no path from a scan', async () => {
  const { stdout } = await runCli(['scan', temporaryFolder({ [CI]: OPEN }), '--ruleset', 'slsa-source-l1']);
  expect(stdout).toMatch(/Pull-request code runs next to your credentials/);
});

it('a baseline hides paths of old findings, and keeps those with a new one', async () => {
  const folder = temporaryFolder({ [CI]: OPEN });
  const baseline = `${folder}/baseline.json`;
  expect((await runCli(['scan', folder, '--write-baseline', '--baseline', baseline])).code).toBe(0);
  const { code, stdout } = await runCli(['scan', folder, '--baseline', baseline, '--fail-on', 'critical']);
  expect([code, stdout.includes('Attack paths')]).toEqual([0, false]);
});

describe('--format mermaid', () => {
  it('is one chart with a chain, impact and cut per path', async () => {
    const { stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN }), '--format', 'mermaid']);
    expect(stdout).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph p0["CRITICAL: Pull-request code runs next to your credentials"]
          direction LR
          p0s0["An outsider opens a pull request<br/>dangerous-triggers<br/>.github/workflows/ci.yml:5"]:::finding
          p0s1["The job checks out their code<br/>untrusted-checkout<br/>.github/workflows/ci.yml:9"]:::finding
          p0s0 --> p0s1
          p0s2["A build step executes it<br/>untrusted-checkout-exec<br/>.github/workflows/ci.yml:10"]:::finding
          p0s1 --> p0s2
          p0s3["The credential is stolen"]
          p0s2 --> p0s3
          p0i(["Anyone with a GitHub account can take over the repository, its releases and everything its secrets unlock."]):::impact
          p0s3 --> p0i
          p0b{{"Build and test fork code under #96;pull_request#96;, and keep it out of every job that holds a credential."}}:::cut
          p0b -. breaks .-> p0s1
        end
        classDef finding stroke-width:3px
        classDef cut stroke-dasharray:5 3
        classDef impact stroke-width:3px,stroke-dasharray:2 2
      "
    `);
  });

  it('escapes repository content', async () => {
    const name = '.github/workflows/a"];click x href "javascript:alert(1)".yml';
    const { stdout } = await runCli(['paths', temporaryFolder({ [name]: OPEN }), '--format', 'mermaid']);
    expect(stdout).toContain('Pull-request code');
    expect(stdout).not.toMatch(/click x href "|\(1\)/);
  });
});

describe('--format html', () => {
  it('is one page that loads nothing, with chains, places and what breaks them', async () => {
    const name = '.github/workflows/"><img src=x onerror=a()>.yml';
    const { stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN, [name]: OPEN }), '--format', 'html']);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('Pull-request code runs next to your credentials');
    expect(stdout).toContain(`<code>${CI}:9</code>`);
    expect(stdout).toMatch(/Break it:<\/strong> Build and test fork code/);
    expect(stdout).not.toMatch(/<(?:script|img|link|iframe)|<[^>]*\bsrc=|url\(/i);
    expect(stdout).toContain('&quot;&gt;&lt;img src');
  });

  it('--open writes the page and hands it to the browser', async () => {
    const folder = temporaryFolder({ [CI]: OPEN, 'browser.sh': '#!/bin/sh\nprintf %s "$1" > "$0.opened"\n' });
    chmodSync(join(folder, 'browser.sh'), 0o755);
    const page = join(folder, 'paths.html');
    const env = { BROWSER: join(folder, 'browser.sh') };
    const { code, stderr } = await runCli(['paths', folder, '--open', '-o', page], { env });
    expect([code, stderr]).toEqual([1, `Opened ${page}.\n`]);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
    await expect.poll(() => existsSync(`${env.BROWSER}.opened`)).toBe(true);
    const missing = await runCli(['paths', folder, '--open', '-o', page], { env: { BROWSER: '/no/such/browser' } });
    expect(missing.stderr).toBe(`No browser was found: open ${page}.\n`);
  });
});

describe('--format sarif', () => {
  it('validates against the standard’s schema, with the stages as a code flow', async () => {
    const { stdout } = await runCli(['paths', temporaryFolder({ [CI]: OPEN }), '--format', 'sarif']);
    const log = JSON.parse(stdout) as {
      runs: {
        results: {
          ruleId: string;
          codeFlows: { threadFlows: { locations: { location: { message: { text: string } } }[] }[] }[];
        }[];
      }[];
    };
    const schema = JSON.parse(readFileSync('tests/fixtures/sarif-2.1.0.schema.json', 'utf8')) as object;
    const validate = new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema);
    validate(log);
    expect(validate.errors).toBeNull();
    const [result] = log.runs[0]?.results ?? [];
    expect(result?.ruleId).toBe('fork-code-with-credentials');
    expect(
      result?.codeFlows[0]?.threadFlows[0]?.locations.map(({ location }) => location.message.text.slice(0, 30)),
    ).toEqual([
      expect.stringMatching(/^1\. An outsider/),
      expect.stringMatching(/^2\. The job checks out/),
      expect.stringMatching(/^3\. A build step/),
    ]);
  });
});
