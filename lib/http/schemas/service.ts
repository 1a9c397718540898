import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';

export const getHealth = defineOperation({
  id: 'getHealth',
  verb: 'GET',
  path: '/api/health',
  summary: 'Whether the service answers',
  description: 'Does not touch the database nor the code host.',
  access: 'public',
  reply: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }),
  replyDescription: 'The service answers.',
});

export const getCapabilities = defineOperation({
  id: 'getCapabilities',
  verb: 'GET',
  path: '/api/capabilities',
  summary: 'What this installation has switched on',
  description: 'The same for every caller: it tells of the configuration of the server.',
  access: 'user',
  reply: z
    .strictObject({
      pr_webhooks: z.boolean().meta({ description: 'Merged fixes are recorded' }),
      public_scan: z.boolean(),
      scm_app: z.boolean(),
      notifications: z.boolean(),
      cron: z.boolean(),
      shared_rate_limit: z.boolean().meta({ description: 'Public limits are counted in Upstash' }),
      demo: z.boolean(),
      version: z.string(),
    })
    .meta({ id: 'Capabilities' }),
  replyDescription: 'What is switched on.',
});
