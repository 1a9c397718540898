export interface PlatformFact {
  readonly since: string;
  readonly server: string | null;
  readonly source: string;
}

export const PLATFORM_FACTS = {
  /** Moving tags of actions/checkout point to releases that refuse fork code; a server may mirror older ones. */
  'guarded-checkout-tags': {
    since: '2026-07-16',
    server: null,
    source: 'https://github.com/actions/checkout/releases',
  },
  'refused-retirements': {
    since: '2025-01-30',
    server: null,
    source: 'https://github.blog/changelog/2024-04-16-deprecation-notice-v3-of-the-artifact-actions/',
  },
  'read-only-cache': {
    since: '2026-06-26',
    server: null,
    source: 'https://github.blog/changelog/label/actions/',
  },
} as const satisfies Readonly<Record<string, PlatformFact>>;
