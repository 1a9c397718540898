import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PHASE_PRODUCTION_BUILD } from 'next/constants.js';

const WORKER = 'dist/engine-worker.mjs';

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
};

function engineDigest() {
  const digest = createHash('sha256').update(readFileSync('package-lock.json'));
  for (const folder of ['lib/analysis', 'lib/combos', 'lib/data', 'lib/facts', 'lib/scanner', 'lib/workflow']) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files.map(({ parentPath, name }) => `${parentPath}/${name}`).sort()) {
      if (!file.endsWith('.test.ts')) digest.update(`${file}\0`).update(readFileSync(file));
    }
  }
  return digest.digest('hex').slice(0, 16);
}

function newestMigration() {
  return /^\d+/.exec(readdirSync('supabase/migrations').sort().at(-1) ?? '')?.[0] ?? '';
}

/**
 * @param {string} phase
 * @returns {import('next').NextConfig}
 */
export default (phase) => ({
  env: {
    CHAINBREAK_ENGINE: engineDigest(),
    CHAINBREAK_SCHEMA: newestMigration(),
    CHAINBREAK_WORKER: phase === PHASE_PRODUCTION_BUILD ? WORKER : '',
  },
  compiler: {
    // Imported here because the bundler is not installed in production.
    runAfterProductionCompile: async () => {
      const { buildActionsWorker, buildWorker } = await import('./lib/tools/build-worker.mjs');
      await Promise.all([buildWorker(WORKER), buildActionsWorker()]);
    },
  },
  turbopack: { rules: { '*.md': { loaders: ['./lib/tools/markdown-loader.mjs'], as: '*.js' } } },
  // Starts threads from its own files.
  serverExternalPackages: ['piscina'],
  poweredByHeader: false,
  // Set by `npm start` and the tests, since `npm run typecheck` checks all types.
  typescript: { ignoreBuildErrors: process.env['BUILD_WITHOUT_TYPES'] === '1' },
  // The framework's redirect lacks a request id, so routes handle such paths.
  skipTrailingSlashRedirect: true,
  // Not every file system allows a colon in folder names. Rewrites run before route matching.
  rewrites: () => ({
    beforeFiles: [
      { source: '/api/rule-overrides/batch', destination: '/api/nothing' },
      { source: '/api/rule-overrides\\:batch', destination: '/api/rule-overrides/batch' },
      { source: '/api/rule-overrides%3Abatch', destination: '/api/rule-overrides/batch' },
      { source: '/api/findings/status/batch', destination: '/api/nothing' },
      { source: '/api/findings/status\\:batch', destination: '/api/findings/status/batch' },
      { source: '/api/findings/status%3Abatch', destination: '/api/findings/status/batch' },
    ],
  }),
  headers: () => [
    { source: '/:path*', headers: Object.entries(HEADERS).map(([key, value]) => ({ key, value })) },
    // A shared report is for people with its link.
    { source: '/:kind(s|r)/:path*', headers: [{ key: 'X-Robots-Tag', value: 'noindex, nofollow' }] },
  ],
});
