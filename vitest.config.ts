import { defineConfig } from 'vitest/config';

/** One process for all files of a worker: modules are loaded once, and files may share a database. */
const shared = { isolate: false } as const;

export default defineConfig({
  test: {
    // Vitest leaves one core idle otherwise.
    maxWorkers: '100%',
    // Enough on a machine that does other things, too; what has to be quick measures itself.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // These import JSON without an import attribute, which Node refuses; inlined, Vite reads it.
    server: { deps: { inline: [/@actions\/(?:expressions|workflow-parser)/] } },
    // A test that asserts nothing proves nothing.
    expect: { requireAssertions: true },
    projects: [
      {
        extends: true,
        test: { ...shared, name: 'unit', include: ['lib/**/*.test.ts', 'tests/architecture/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          globalSetup: ['tests/support/prepare-database.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['tests/process/**/*.test.ts'],
          globalSetup: ['tests/support/prepare-database.ts', 'tests/support/build-cli.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/prepare-database.ts', 'tests/support/prepare-web.ts'],
        },
      },
    ],
  },
});
