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

function outcome(variables: Record<string, string>) {
  const text = WORKFLOW;
  const snapshot: RepositorySnapshot = {
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
