/** Bundles what threads run to check files of strangers. `next build` calls it. */
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
