import type { Env } from '#lib/env.ts';

export interface Site {
  readonly codeHost: string;
  readonly codeHostUrl: string;
  readonly examples: readonly string[];
  readonly connectUrl: string | null;
  readonly asksRegistries: boolean;
}

const DEMO = ['acme/storefront', 'acme/clean', 'globex/platform'];
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

export function describeDatabase({ env: { database } }: { readonly env: Pick<Env, 'database'> }): {
  readonly url: string;
  readonly publishableKey: string;
} | null {
  return database === null ? null : { url: database.url, publishableKey: database.publishableKey };
}
