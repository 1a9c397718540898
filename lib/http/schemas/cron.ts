import { RefreshedFixes } from '#lib/db/shapes/campaigns.ts';
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

export const refreshFixPullRequests = defineOperation({
  id: 'refreshFixPullRequests',
  verb: 'GET',
  path: '/api/cron/refresh-fix-prs',
  summary: 'Refresh the fix pull requests',
  description:
    'For a scheduler, daily, with the cron secret as bearer token. Asks the code host about every fix pull request without a recorded outcome, 50 in a request, and stores the answers. Repositories that left the installation are left out. Concurrent runs are safe.',
  access: 'cron',
  reply: RefreshedFixes,
  replyDescription: 'What was checked.',
  errors: ['unauthenticated', 'not-configured'],
});
