import { expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { digestOf, runRules } from './evaluate.ts';

const WORKFLOW = `on: pull_request_target
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v6
        with: { ref: '\${{ github.event.pull_request.head.sha }}' }
      - run: make
`;
const CHOICE = { ruleset: 'all', disabledRules: [], settings: NO_FACTS.settings, asOf: '2026-11-01' } as const;

function snapshotOf(text: string): RepositorySnapshot {
  return {
    scmId: '1',
    fullName: 'acme/shop',
    htmlUrl: 'https://git.example.com/acme/shop',
    visibility: 'public',
    archived: false,
    empty: false,
    defaultBranch: 'main',
    commit: '1'.repeat(40),
    files: [{ path: '.github/workflows/ci.yml', text }],
    workflowFiles: 1,
    unread: [],
  };
}

function outcome(variables: Record<string, string>) {
  const snapshot = snapshotOf(WORKFLOW);
  const env = parseEnv(variables);
  const { findings, evidence } = runRules(snapshot, CHOICE, env);
  return {
    checkout: findings.filter(({ rule_id }) => rule_id === 'untrusted-checkout-exec').map(({ severity }) => severity),
    readOnly: evidence.caches_read_only,
    digest: digestOf(env, 'acme/shop', CHOICE),
  };
}

it('depends on the version of the Enterprise Server, which also changes the digest', () => {
  const here = outcome({});
  const server = outcome({ SCM_HOST_VERSION: '3.17' });
  expect(here).toMatchObject({ readOnly: true });
  expect(server).toMatchObject({ checkout: ['HIGH'], readOnly: false });
  expect(here.checkout).not.toContain('HIGH');
  expect(server.digest).not.toBe(here.digest);
  expect(outcome({ SCM_HOST_VERSION: '3.18' }).digest).not.toBe(server.digest);
  expect(outcome({}).digest).toBe(here.digest);
});

it('counts a rule with more findings than are listed as not completed, so that none of them is resolved', () => {
  const many = snapshotOf(`${WORKFLOW}${'      - uses: acme/a@main\n'.repeat(250)}`);
  const { findings, completed, not_assessed } = runRules(many, CHOICE, parseEnv({}));
  expect(findings.filter(({ rule_id }) => rule_id === 'unpinned-uses')).toHaveLength(200);
  expect(completed).not.toContain('unpinned-uses');
  expect(not_assessed).toContainEqual({ rule_id: 'unpinned-uses', reason: 'rate_limited' });
  const few = runRules(snapshotOf(WORKFLOW), CHOICE, parseEnv({}));
  expect(few.completed).toContain('unpinned-uses');
});
