import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { STANDALONE_BUNDLE } from './bundle.mjs';

const FOLDER = 'editors/vscode';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
await build({
  ...STANDALONE_BUNDLE,
  entryPoints: [...STANDALONE_BUNDLE.entryPoints],
  outfile: join(FOLDER, 'dist/chainbreak.mjs'),
  define: { PROGRAM_FILE: JSON.stringify(`chainbreak-${version}`), IS_STANDALONE: 'true' },
});
await build({
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
  external: ['vscode'],
  entryPoints: [join(FOLDER, 'extension.ts')],
  outfile: join(FOLDER, 'dist/extension.cjs'),
});
