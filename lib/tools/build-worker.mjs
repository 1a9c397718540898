import { build } from 'esbuild';
import { BUNDLE } from './bundle.mjs';

const OPTIONS = { ...BUNDLE, minifySyntax: true, minifyWhitespace: true, legalComments: 'none' };

/**
 * Bundles the worker of threads that check untrusted files. Called by `next build`.
 * @param {string} outfile
 */
export async function buildWorker(outfile) {
  await build({ ...OPTIONS, entryPoints: ['lib/services/isolation/worker.ts'], outfile });
}

/**
 * Bundles the program that scores actions.
 * @param {string} outfile
 */
export async function buildActionsWorker(outfile) {
  await build({
    ...OPTIONS,
    entryPoints: ['lib/worker/actions.ts'],
    outfile,
    external: ['@supabase/*', 'piscina'],
  });
}

export async function buildSelfHosting() {
  await build({ ...OPTIONS, entryPoints: ['lib/tools/migrate.ts'], outfile: 'dist/migrate.mjs' });
  await build({ ...OPTIONS, entryPoints: ['lib/cluster/bridge.ts'], outfile: 'dist/redis-bridge.mjs' });
}
