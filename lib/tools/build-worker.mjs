import { build } from 'esbuild';
import { BUNDLE } from './bundle.mjs';

const OPTIONS = { ...BUNDLE, minifySyntax: true, minifyWhitespace: true, legalComments: 'none' };

export async function buildWorker(outfile = 'dist/engine-worker.mjs') {
  await build({ ...OPTIONS, entryPoints: ['lib/services/isolation/worker.ts'], outfile });
}

export async function buildActionsWorker(outfile = 'dist/actions-worker.mjs') {
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
