import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';
import { Count } from './common.ts';

export const expireTriage = defineOperation({
  id: 'expireTriage',
  verb: 'GET',
  path: '/api/cron/expire-triage',
  summary: 'Open findings whose time has passed',
  description: 'For the scheduler, daily, with the cron secret as its bearer token. Safe to run twice at once.',
  access: 'cron',
  reply: z
    .strictObject({
      expired: Count.meta({ description: 'Findings that are open again' }),
      repositories: Count.meta({ description: 'Repositories that they are of' }),
    })
    .meta({ id: 'ExpiredTriage' }),
  replyDescription: 'What was opened.',
  errors: ['unauthenticated', 'not-configured'],
});
