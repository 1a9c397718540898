import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['lib/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/build-cli.ts'],
    testTimeout: 30_000,
    // Suites start a database, a code host and a build at the same time.
    hookTimeout: 60_000,
    // These import JSON without an import attribute, which Node refuses; inlined, Vite reads it.
    server: { deps: { inline: [/@actions\/(?:expressions|workflow-parser)/] } },
    // A test that asserts nothing proves nothing.
    expect: { requireAssertions: true },
  },
});
