/** Something that GitHub does of itself and that findings are graded by. */
export interface PlatformFact {
  /** The day from which github.com does it. */
  readonly since: string;
  /** The first release of GitHub Enterprise Server that does it; null when none is known to. */
  readonly server: string | null;
  readonly source: string;
}

export const PLATFORM_FACTS = {
  /** The moving tags of actions/checkout name releases that refuse a fork’s code. A server may hold older copies. */
  'guarded-checkout-tags': {
    since: '2026-07-16',
    server: null,
    source: 'https://github.com/actions/checkout/releases',
  },
  /** A run that an outsider starts on the default branch cannot write its caches. */
  'read-only-cache': {
    since: '2026-06-26',
    server: null,
    source: 'https://github.blog/changelog/label/actions/',
  },
} as const satisfies Readonly<Record<string, PlatformFact>>;
