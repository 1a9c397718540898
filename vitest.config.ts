import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import load from './lib/tools/markdown-loader.mjs';

const shared = { isolate: false } as const;

const UNIT = ['{app,lib}/**/*.test.ts', 'tests/architecture/**/*.test.ts'];
const INTEGRATION = ['tests/integration/**/*.test.ts'];
const PROCESS = ['tests/process/**/*.test.ts'];

const DATABASE = 'tests/support/prepare-database.ts';
const CLI = 'tests/support/build-cli.ts';

const ON_CLUSTER = [
  'accept-invite',
  'attack-paths',
  'campaigns',
  'member',
  'monitor',
  'org-invites',
  'orgs',
  'refresh-fix-prs',
  'remediate',
  'repos',
  'rule-overrides-batch',
  'scan',
  'triage',
  'triage-batch',
  'webhooks-scm',
].map((name) => `tests/integration/api/${name}.test.ts`);

/** A fresh clone knows no durations; by size alone, these short files would start last and run alone at the end. */
const LONG =
  /\/tests\/(?:architecture\/regexes|integration\/(?:isolation|redelivery|rls\/isolation)|process\/.*)\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const markdown: Plugin = {
  name: 'markdown',
  transform: (code, id) => (/\/docs\/[^?]+\.md$/.test(id) ? load(code) : undefined),
};

/** The first three projects in one, which compiles and loads each module once; named alone, so that no file runs twice. */
const ALL: TestProjectInlineConfiguration = {
  extends: true,
  test: { ...shared, name: 'all', include: [...UNIT, ...INTEGRATION, ...PROCESS], globalSetup: [DATABASE, CLI] },
};

export default defineConfig({
  plugins: [markdown],
  test: {
    // Many tests wait for a deadline or another process, on busy machines; speed is measured separately.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // These import JSON without an import attribute, which Node rejects; Vite inlines it.
    server: { deps: { inline: [/@actions\/(?:expressions|workflow-parser)/] } },
    sequence: { sequencer: LongFirst },
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { ...shared, name: 'unit', include: UNIT } },
      { extends: true, test: { ...shared, name: 'integration', include: INTEGRATION, globalSetup: [DATABASE, CLI] } },
      { extends: true, test: { ...shared, name: 'process', include: PROCESS, globalSetup: [DATABASE, CLI] } },
      ...(process.argv.includes('--project=all') ? [ALL] : []),
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: [DATABASE, 'tests/support/prepare-web.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'cluster',
          include: ['tests/cluster/**/*.test.ts', ...ON_CLUSTER],
          env: { TEST_TOPOLOGY: 'cluster' },
          // Each worker has two instances of the web app.
          maxWorkers: 2,
          globalSetup: ['tests/support/prepare-web.ts', 'tests/support/prepare-cluster.ts'],
        },
      },
    ],
  },
});
