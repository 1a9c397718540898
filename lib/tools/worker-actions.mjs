import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WORKER = 'dist/actions-worker.mjs';
const THREADS = 'dist/engine-worker.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
if (existsSync('.env')) loadEnvFile('.env');
if (existsSync('node_modules/esbuild')) {
  const { buildActionsWorker, buildWorker } = await import('./build-worker.mjs');
  await Promise.all([buildActionsWorker(WORKER), buildWorker(THREADS)]);
} else if (!existsSync(WORKER)) {
  process.stderr.write('The worker is not built: run npm ci --include=dev and npm run build first.\n');
  process.exit(1);
}
process.env['CHAINBREAK_WORKER'] ??= THREADS;
await import(pathToFileURL(WORKER).href);
