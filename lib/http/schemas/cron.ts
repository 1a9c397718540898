import { ExpiredTriage } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';

export const expireTriage = defineOperation({
  id: 'expireTriage',
  verb: 'GET',
  path: '/api/cron/expire-triage',
  summary: 'Open findings whose time has passed',
  description: 'For the scheduler, daily, with the cron secret as its bearer token. Safe to run twice at once.',
  access: 'cron',
  reply: ExpiredTriage,
  replyDescription: 'What was opened.',
  errors: ['unauthenticated', 'not-configured'],
});
