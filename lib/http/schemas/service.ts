import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';

export const getHealth = defineOperation({
  id: 'getHealth',
  verb: 'GET',
  path: '/api/health',
  summary: 'Check that the service responds',
  description: 'Uses neither the database nor the code host.',
  access: 'public',
  reply: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }),
  replyDescription: 'The service responds.',
});

export const getCapabilities = defineOperation({
  id: 'getCapabilities',
  verb: 'GET',
  path: '/api/capabilities',
  summary: 'Get the enabled features',
  description:
    'The same for every caller, since it depends on the server’s configuration and on the app’s permissions.',
  access: 'user',
  reply: z
    .strictObject({
      pr_webhooks: z.boolean().meta({ description: 'True if merged fixes are recorded' }),
      pr_checks: z.boolean().meta({ description: 'True if pull requests are checked' }),
      public_scan: z.boolean(),
      scm_app: z.boolean(),
      notifications: z.boolean(),
      cron: z.boolean(),
      shared_rate_limit: z.boolean().meta({ description: 'True if public limits are counted in Upstash' }),
      demo: z.boolean(),
      version: z.string(),
    })
    .meta({ id: 'Capabilities' }),
  replyDescription: 'The enabled features.',
});
