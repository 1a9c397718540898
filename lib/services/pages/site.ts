import type { Env } from '#lib/env.ts';

/** What the configuration makes of the pages. */
export interface Site {
  /** What the code host is called in a sentence. */
  readonly codeHost: string;
  /** Where a repository's page is at the code host: followed by `/owner/name`. */
  readonly codeHostUrl: string;
  /** Public repositories to try a scan on; none where we know of none. */
  readonly examples: readonly string[];
  /** Where an organization installs the app, which leads back to `/setup`; null without an app. */
  readonly connectUrl: string | null;
  /** True if the hardener looks up image digests. */
  readonly asksRegistries: boolean;
}

/** Repositories of the demo: many findings, none, and two. */
const DEMO = ['acme/storefront', 'acme/clean', 'globex/platform'];
/** Known to many, and with workflows. */
const WELL_KNOWN = ['actions/checkout', 'python/cpython', 'ossf/scorecard'];

export function describeSite({
  env,
}: {
  readonly env: Pick<Env, 'scm' | 'scmApp' | 'demo' | 'imageRegistries'>;
}): Site {
  const { webUrl } = env.scm;
  const { host } = new URL(webUrl);
  return {
    codeHost: env.demo ? 'the local code host' : host,
    codeHostUrl: webUrl,
    examples: env.demo ? DEMO : host === 'github.com' ? WELL_KNOWN : [],
    connectUrl: env.scmApp === null ? null : `${webUrl}/apps/${env.scmApp.slug}/installations/new`,
    asksRegistries: env.imageRegistries !== null,
  };
}

/** What a browser may know of the database; null when there is none. Never the secret key: it is handed to everybody. */
export function describeDatabase({ env: { database } }: { readonly env: Pick<Env, 'database'> }): {
  readonly url: string;
  readonly publishableKey: string;
} | null {
  return database === null ? null : { url: database.url, publishableKey: database.publishableKey };
}
