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
 * @template {import('esbuild').BuildOptions} T
 * @param {T} options
 */
const checked = (options) => options;

export const BUNDLE = checked({
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
  banner: { js: REQUIRE },
  alias: { yaml: './node_modules/yaml/browser/index.js' },
});

const SHIPPED = checked({ ...BUNDLE, minify: true, legalComments: 'none' });

/** A CommonJS file, since V8 keeps compiled code of scripts only. */
export const PROGRAM_BUNDLE = checked({
  ...SHIPPED,
  entryPoints: ['lib/cli/start.ts'],
  plugins: [LAZY_EXAMPLES],
  format: 'cjs',
  banner: {},
  write: false,
});

export const CLI_BUNDLE = checked({
  ...SHIPPED,
  entryPoints: ['lib/cli/main.ts'],
  outfile: 'dist/cli.mjs',
  banner: { js: '#!/usr/bin/env node' },
});

/** One file, for copying and for releases; it is compiled at each start. */
export const STANDALONE_BUNDLE = checked({
  ...SHIPPED,
  entryPoints: ['lib/cli/main.ts'],
  outfile: 'dist/chainbreak.mjs',
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
});
