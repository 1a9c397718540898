/** Bundles the command line into one executable file, `dist/cli.mjs`. */
import { chmodSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { CLI_BUNDLE } from './bundle.mjs';

export async function buildCli() {
  await build({ ...CLI_BUNDLE, entryPoints: [...CLI_BUNDLE.entryPoints] });
  chmodSync(CLI_BUNDLE.outfile, 0o755);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCli();
