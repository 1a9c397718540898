import { version } from '../../../package.json';
import type { Services } from '../context.ts';

export function readCapabilities({ env }: Services) {
  return {
    pr_webhooks: env.scmWebhookSecret !== null,
    public_scan: env.scmPublicToken !== null && env.database !== null,
    scm_app: env.scmApp !== null,
    notifications: env.database !== null,
    cron: env.cronSecret !== null,
    shared_rate_limit: env.upstash !== null,
    demo: env.demo,
    version,
  };
}
