/** Bundles the command line into one executable file, `dist/cli.mjs`. */
import { chmodSync } from 'node:fs';
import { build } from 'esbuild';
import { BUNDLE } from './bundle.mjs';

const outfile = 'dist/cli.mjs';
await build({
  ...BUNDLE,
  entryPoints: ['lib/cli/main.ts'],
  outfile,
  minify: true,
  banner: { js: `#!/usr/bin/env node\n${BUNDLE.banner?.['js'] ?? ''}` },
  legalComments: 'none',
});
chmodSync(outfile, 0o755);
