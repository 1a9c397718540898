/** Bundles the worker of threads that check untrusted files. Called by `next build`. */
import { build } from 'esbuild';
import { BUNDLE } from './bundle.mjs';

/** @param {string} outfile */
export async function buildWorker(outfile) {
  await build({
    ...BUNDLE,
    entryPoints: ['lib/services/isolation/worker.ts'],
    outfile,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
  });
}
