import { ExpiredTriage } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';

export const expireTriage = defineOperation({
  id: 'expireTriage',
  verb: 'GET',
  path: '/api/cron/expire-triage',
  summary: 'Reopen expired findings',
  description: 'For a scheduler, daily, with the cron secret as bearer token. Concurrent runs are safe.',
  access: 'cron',
  reply: ExpiredTriage,
  replyDescription: 'What was reopened.',
  errors: ['unauthenticated', 'not-configured'],
});
