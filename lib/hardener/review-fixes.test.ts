import { describe, expect, it } from 'vitest';
import { type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import {
  CRATES_IO_AUTH,
  EGRESS_MONITOR,
  factsWith,
  type InsertedAction,
  withInserted,
} from '#lib/scanner/remedies/inserted-actions.ts';
import { actionsUsedBy } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { hardenFile, hardenRepository } from './harden.ts';
import { describeFix, type HardenedFile } from './hardening.ts';

const PATH = '.github/workflows/release.yml';
const ON = 'on: { push: { tags: [v*] } }';
const NPM = { run: 'npm publish', env: 'NODE_AUTH_TOKEN: "${{ secrets.NPM }}"' };

interface Release {
  readonly on?: string;
  readonly runner?: string;
  readonly above?: string;
  readonly before?: string;
  readonly run?: string;
  readonly env?: string;
  readonly permissions?: string;
}

function release({ on = ON, runner = 'ubuntu-24.04', above, before, run, env, permissions }: Release): string {
  return `${on}
permissions: ${permissions ?? '{ contents: read }'}
jobs:
  release:
    runs-on: ${runner}
    environment: release
    timeout-minutes: 10
    ${above ?? ''}
    steps:
      ${before ?? '- uses: actions/setup-node@v5\n        with: { node-version: 24 }'}
      - run: |
          ${run ?? NPM.run}
        env:
          ${env ?? NPM.env}
`;
}

function repositoryOf(...texts: readonly string[]): Repository {
  return createRepository(
    texts.map((text, index) => ({ path: index === 0 ? PATH : `.github/workflows/${index}.yml`, text })),
  );
}

function harden(text: string, facts: Facts = NO_FACTS): HardenedFile {
  return hardenFile(repositoryOf(text), PATH, { facts, includeReview: true });
}

function whyKept(text: string, facts: Facts = NO_FACTS): string {
  const result = harden(text, facts);
  expect(result.applied.map(({ ruleId }) => ruleId)).not.toContain('use-trusted-publishing');
  return result.refused.find(({ ruleId }) => ruleId === 'use-trusted-publishing')?.reason ?? '';
}

function aged(action: InsertedAction, days: number): Facts {
  const { network } = factsWith([action]);
  const at = Date.UTC(2026, 10, 1);
  const dates = new Map([['1'.repeat(40), at - days * 86_400_000]]);
  const actions = 'value' in network ? network.value.actions : new Map();
  return {
    ...NO_FACTS,
    network: { value: { at, actions: new Map([...actions].map(([slug, facts]) => [slug, { ...facts, dates }])) } },
  };
}

describe('publishing to npm without a token', () => {
  it('says what to set up, including the environment, and to delete the token', () => {
    const { applied, after } = harden(release({}));
    const fix = applied.find(({ ruleId }) => ruleId === 'use-trusted-publishing');
    expect(after).not.toContain('secrets.NPM');
    expect(fix && describeFix(fix)).toMatch(
      /stored token NPM.*register `release\.yml`.* environment `release`.* at npm; publishing fails until then\. Delete/,
    );
  });

  it.each([
    [
      'an older Node.js',
      { before: '- uses: actions/setup-node@v5\n        with: { node-version: 20 }' },
      /set up Node\.js 24/,
    ],
    [
      'a new npm on a Node.js that it does not work on',
      { before: '- uses: actions/setup-node@v5\n        with: { node-version: 20 }\n      - run: npm i -g npm@11' },
      /set up Node\.js 24/,
    ],
    [
      'a Node.js 24 from before',
      { before: '- uses: actions/setup-node@v5\n        with: { node-version: 24.4.1 }' },
      /set up Node\.js 24/,
    ],
    [
      'an npm from before',
      { before: '- uses: actions/setup-node@v5\n        with: { node-version: 22 }\n      - run: npm i -g npm@10' },
      /set up Node\.js 24/,
    ],
    ['another use of the token', { run: 'npm ci && npm publish' }, /also passes the token to `npm ci`/],
    [
      'a script that may use the token',
      { run: 'npm publish\n          ./announce' },
      /also passes the token to `announce`/,
    ],
    [
      'a token that is written down',
      { run: 'echo "$NODE_AUTH_TOKEN" > .npmrc; npm publish' },
      /also passes the token to `echo .*`/,
    ],
    ['another tool', { run: 'npx semantic-release' }, /Only `npm publish` is changed automatically/],
    ['a one-time password', { run: 'npm publish --otp 123' }, /also passes the token to `npm publish`/],
    ['a workflow that others call', { on: 'on: [push, workflow_call]' }, /the caller has to grant/],
    ['an own machine', { runner: '[self-hosted, linux]' }, /only from GitHub-hosted runners/],
    ['a job that outsiders start', { on: 'on: issue_comment' }, /Outsiders can start this job \(`issue_comment`\)/],
    ['a token of the whole job', { above: 'env: { NPM_TOKEN: "${{ secrets.NPM }}" }' }, /more than this step/],
    ['rights that are given all at once', { permissions: 'read-all' }, /might remove some of them/],
  ])('keeps the token with %s, and says why', (_, options, reason) => {
    expect(whyKept(release(options))).toMatch(reason);
  });

  it.each([
    [
      'Node.js 22 with a newer npm',
      '- uses: actions/setup-node@v5\n        with: { node-version: 22 }\n      - run: npm install -g npm@latest',
    ],
    ['an LTS line', '- uses: actions/setup-node@v5\n        with: { node-version: lts/* }'],
  ])('removes the token with %s', (_, before) => {
    expect(harden(release({ before })).after).not.toContain('secrets.NPM');
  });

  it('says which npm version it needs if the file does not show it', () => {
    const before = '- uses: actions/setup-node@v5\n        with: { node-version-file: .nvmrc }';
    const fix = harden(release({ before })).applied.find(({ ruleId }) => ruleId === 'use-trusted-publishing');
    expect(fix?.note).toMatch(/npm 11\.5\.1 and Node\.js 22\.14 or newer, which the file does not confirm/);
  });
});

describe('publishing to crates.io without a token', () => {
  const crate = {
    run: 'cargo publish',
    env: 'CARGO_REGISTRY_TOKEN: ${{ secrets.CRATES }}',
    before: '- uses: actions/checkout@v5',
  };
  const facts = factsWith([CRATES_IO_AUTH]);

  it('shares one step between two that publish', () => {
    const twice = `${release(crate)}      - run: cargo publish -p other\n        env: { CARGO_REGISTRY_TOKEN: "\${{ secrets.CRATES }}" }\n`;
    const { after } = harden(twice, facts);
    expect(after.match(/crates-io-auth-action/g)).toHaveLength(1);
    expect(after.match(/steps\.auth\.outputs\.token/g)).toHaveLength(2);
  });

  it.each([
    [
      'without a commit of the action',
      crate,
      NO_FACTS,
      /The commit of rust-lang\/crates-io-auth-action.* was not looked up/,
    ],
    ['with a release of six days', crate, aged(CRATES_IO_AUTH, 6), /is 6 days old/],
    ['in a workflow that others call', { ...crate, on: 'on: [push, workflow_call]' }, facts, /caller has to grant/],
    [
      'where every step of the job has it',
      { ...crate, above: 'env: { CARGO_REGISTRY_TOKEN: "${{ secrets.CRATES }}" }' },
      facts,
      /more than this step/,
    ],
  ])('keeps the token %s, and says why', (_, options, known, reason) => {
    expect(whyKept(release(options), known)).toMatch(reason);
  });

  it('inserts a release that is a week old', () => {
    expect(harden(release(crate), aged(CRATES_IO_AUTH, 8)).after).toContain('crates-io-auth-action@1111');
  });
});

describe('adding an environment to publishing jobs', () => {
  const publish = (more: string): string =>
    `${ON}\npermissions: { contents: read${more === '' ? '' : ', id-token: write'} }\njobs:\n  ship:\n    runs-on: ubuntu-24.04\n    steps:\n      ${more}\n      - run: docker push acme/app\n        env: { KEY: "\${{ secrets.REGISTRY_KEY }}" }\n`;

  it('sets its name and says what to configure', () => {
    const { after, applied } = harden(publish(''));
    expect(after).toContain('    runs-on: ubuntu-24.04\n    environment: release\n');
    expect(applied.find(({ ruleId }) => ruleId === 'secrets-outside-env')?.note).toMatch(
      /Create the environment `release`.*reviewers.*secrets can then be moved there\. Until then/,
    );
  });

  it.each([
    [
      'a login to a cloud by identity',
      publish('- uses: azure/login@v2'),
      /part of the OIDC subject that `azure\/login@v2` presents/,
    ],
    ['pull requests', publish('').replace(ON, 'on: [push, pull_request]'), /would wait for a reviewer/],
    ['a timer', publish('').replace(ON, 'on: { schedule: [{ cron: 1 1 * * * }] }'), /schedule starts this workflow/],
  ])('is left to people with %s', (_, text, reason) => {
    const { after, refused } = harden(text);
    expect(after).not.toContain('environment:');
    expect(refused.find(({ ruleId }) => ruleId === 'secrets-outside-env')?.reason).toMatch(reason);
  });
});

describe('an egress monitor', () => {
  const facts = factsWith([EGRESS_MONITOR]);
  const text = release({ run: 'npm ci && npm publish', permissions: '{ contents: read, id-token: write }' });

  it('is added to the publishing jobs of every file, although the finding is reported once', () => {
    const results = [...hardenRepository(repositoryOf(text, text, text), { facts, includeReview: true })];
    expect(results.map(({ after }) => after.includes('egress-policy: audit'))).toEqual([true, true, true]);
  });

  it.each([
    ['without a commit of it', text, NO_FACTS, /The commit of step-security\/harden-runner.* was not looked up/],
    [
      'in a container',
      text.replace('timeout-minutes', 'container: node:24\n    timeout-minutes'),
      facts,
      /jobs that run in a container/,
    ],
    [
      'where another job’s monitor blocks',
      `${text}  other:\n    runs-on: ubuntu-24.04\n    steps: [{ uses: step-security/harden-runner@v2, with: { egress-policy: block } }]\n`,
      facts,
      /Copy the monitor of the job other/,
    ],
  ])('is left to people %s', (_, file, known, reason) => {
    const { after, refused } = harden(file, known);
    expect(after).not.toContain('egress-policy: audit');
    expect(refused.find(({ ruleId }) => ruleId === 'missing-egress-control')?.reason).toMatch(reason);
  });
});

describe('an archived action', () => {
  const scanner = {
    owner: 'SonarSource',
    repo: 'sonarqube-scan-action',
    path: '',
    tag: 'v6',
    definition: 'inputs:\n  args: {}\noutputs:\n  known: {}\n',
  };
  const text = (id: string, output: string) =>
    `${ON}\npermissions: {}\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: SonarSource/sonarcloud-github-action@v3\n        id: ${id}\n      - run: echo "$V"\n        env: { V: "\${{ steps.s.outputs.${output} }}" }\n`;

  it.each([
    ['is replaced if its successor has every output that is read', 's', 'known', true],
    ['stays if the successor lacks one', 's', 'unknown', false],
    ['is replaced if its id is empty, so that nothing can read its outputs', "''", 'unknown', true],
  ])('%s', (_, id, output, replaced) => {
    const { after } = harden(text(id, output), factsWith([scanner]));
    expect(after.includes('sonarqube-scan-action@')).toBe(replaced);
  });
});

describe('lookups for fixes', () => {
  const asked = (
    text: string,
    ...categories: Parameters<typeof withInserted>[2] extends infer T ? T[] : never
  ): string[] => {
    const repository = repositoryOf(text);
    return withInserted(actionsUsedBy(repository), repository, categories[0])
      .flatMap(({ slug, references }) => references.map(({ path, ref }) => `${slug}/${path}@${ref}`))
      .sort();
  };

  it('include the actions that fixes may insert', () => {
    const text = release({
      run: 'cargo publish',
      before: '- uses: gradle/gradle-build-action@v2\n      - uses: gradle/actions/setup-gradle@v4',
    });
    expect(asked(text, undefined)).toEqual([
      'gradle/actions/setup-gradle@v4',
      'gradle/actions/setup-gradle@v5',
      'gradle/gradle-build-action/@v2',
      'rust-lang/crates-io-auth-action/@v1',
      'step-security/harden-runner/@v2',
    ]);
  });

  it('are limited to the requested categories', () => {
    expect(asked(release({ run: 'cargo publish' }), new Set(['CICD-SEC-1'] as const))).toEqual([
      'actions/setup-node/@v5',
    ]);
  });
});
