import type { Env } from '#lib/env.ts';
import { version } from '../../../package.json';
import type { Services } from '../context.ts';

const KNOWN_MS = 5 * 60_000;
const known = new WeakMap<Env, { readonly mayCheck: boolean; readonly until: number }>();

export async function readCapabilities(services: Services) {
  const { env } = services;
  return {
    pr_webhooks: env.scmWebhookSecret !== null,
    pr_checks: await checksPulls(services),
    public_scan: env.scmPublicToken !== null && env.database !== null,
    scm_app: env.scmApp !== null,
    notifications: env.database !== null,
    cron: env.cronSecret !== null,
    shared_rate_limit: env.upstash !== null,
    demo: env.demo,
    version,
  };
}

async function checksPulls(services: Services): Promise<boolean> {
  const { env, log } = services;
  if (env.scmApp === null || env.scmWebhookSecret === null || env.database === null) return false;
  const last = known.get(env);
  if (last !== undefined && last.until > Date.now()) return last.mayCheck;
  try {
    const mayCheck = await services.codeHostApp().mayAskForChecks();
    known.set(env, { mayCheck, until: Date.now() + KNOWN_MS });
    return mayCheck;
  } catch (error) {
    log.warn('permissions of the app not read', { error });
    return false;
  }
}
