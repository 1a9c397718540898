import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PHASE_PRODUCTION_BUILD } from 'next/constants.js';

const WORKER = 'dist/engine-worker.mjs';

/** What every answer carries; the content security policy is set where the kind of answer is known. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
};

/** Changes with everything that decides what a scan finds, and which attack paths follow. */
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

/**
 * @param {string} phase
 * @returns {import('next').NextConfig}
 */
export default (phase) => ({
  env: { CHAINBREAK_ENGINE: engineDigest(), CHAINBREAK_WORKER: phase === PHASE_PRODUCTION_BUILD ? WORKER : '' },
  compiler: {
    // Its packages are not needed where the build only runs.
    runAfterProductionCompile: async () => (await import('./lib/tools/build-worker.mjs')).buildWorker(WORKER),
  },
  // It starts threads from files of its own.
  serverExternalPackages: ['piscina'],
  poweredByHeader: false,
  // Set by `npm start` alone.
  typescript: { ignoreBuildErrors: process.env['BUILD_WITHOUT_TYPES'] === '1' },
  // The framework's own redirect has no request id; the routes answer such an address themselves.
  skipTrailingSlashRedirect: true,
  // A colon cannot be in the name of a folder everywhere. All of these are gone through before any route is looked for.
  rewrites: () => ({
    beforeFiles: [
      { source: '/api/rule-overrides/batch', destination: '/api/nothing' },
      { source: '/api/rule-overrides\\:batch', destination: '/api/rule-overrides/batch' },
      { source: '/api/rule-overrides%3Abatch', destination: '/api/rule-overrides/batch' },
    ],
  }),
  headers: () => [
    { source: '/:path*', headers: Object.entries(HEADERS).map(([key, value]) => ({ key, value })) },
    // A shared report is for those who have its link.
    { source: '/s/:path*', headers: [{ key: 'X-Robots-Tag', value: 'noindex, nofollow' }] },
  ],
});
