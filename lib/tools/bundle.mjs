import { readFileSync } from 'node:fs';

const REQUIRE = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

/**
 * Computes the examples of a rule only when they are asked for, as `explain` does: all of them take longer than scanning a
 * small file.
 * @type {import('esbuild').Plugin}
 */
const LAZY_EXAMPLES = {
  name: 'lazy-examples',
  setup(build) {
    build.onLoad({ filter: /lib[\\/]scanner[\\/]rules[\\/][\w-]+\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      return { contents: source.replace(EXAMPLES, '  get examples() { return $1; },'), loader: 'ts' };
    });
  },
};

/** As the formatter writes the property. */
const EXAMPLES = /^  examples: (\{\n[\s\S]*?\n  \}),$/m;

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

const SHIPPED = /** @type {const} */ ({ ...BUNDLE, minify: true, legalComments: 'none' });

/**
 * The command line: a CommonJS file, since V8 keeps compiled code of scripts only.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const PROGRAM_BUNDLE = /** @type {const} */ ({
  ...SHIPPED,
  entryPoints: ['lib/cli/start.ts'],
  plugins: [LAZY_EXAMPLES],
  format: 'cjs',
  banner: {},
  write: false,
});

/**
 * The executable file that loads it.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const CLI_BUNDLE = /** @type {const} */ ({
  ...SHIPPED,
  entryPoints: ['lib/cli/main.ts'],
  outfile: 'dist/cli.mjs',
  banner: { js: '#!/usr/bin/env node' },
});

/**
 * The command line in one file, for copying and for releases. It compiles itself at each start.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const STANDALONE_BUNDLE = /** @type {const} */ ({
  ...SHIPPED,
  entryPoints: ['lib/cli/main.ts'],
  outfile: 'dist/chainbreak.mjs',
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
});
