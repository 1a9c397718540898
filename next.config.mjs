/** What every answer carries; the content security policy is set where the kind of answer is known. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
};

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // The framework's own redirect has no request id; the routes answer such an address themselves.
  skipTrailingSlashRedirect: true,
  headers: () => [{ source: '/:path*', headers: Object.entries(HEADERS).map(([key, value]) => ({ key, value })) }],
};
