// CommonJS packages `require()` Node's modules, which an ES module lacks.
const REQUIRE = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

/**
 * How our TypeScript is bundled for Node: the command line and the development scripts alike.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const BUNDLE = /** @type {const} */ ({
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
  banner: { js: REQUIRE },
  alias: { yaml: './node_modules/yaml/browser/index.js' },
});

/**
 * The command line in one file.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const CLI_BUNDLE = /** @type {const} */ ({
  ...BUNDLE,
  entryPoints: ['lib/cli/main.ts'],
  outfile: 'dist/cli.mjs',
  minify: true,
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  legalComments: 'none',
});
