import { z } from 'zod';
import { Count } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery } from './common.ts';

export const linkInstallation = defineOperation({
  id: 'linkInstallation',
  verb: 'GET',
  path: '/api/scm/callback',
  summary: 'Link an installation of the app',
  description:
    'Completes the redirect after an installation. The caller must own the installation’s account or administer the organization at the code host; the id alone is not enough.',
  access: 'user',
  query: OrgQuery.extend({
    installation_id: z.string().regex(/^[1-9]\d{0,15}$/, 'a number'),
    code: z.string().min(1).max(200).optional().meta({ description: 'From the same redirect, if present' }),
    state: z.string().max(500).optional().meta({ description: 'From the same redirect; for the client to check' }),
  }),
  reply: z
    .strictObject({
      installation_id: z.int(),
      account: z.string(),
      account_type: z.enum(['User', 'Organization']),
    })
    .meta({ id: 'Installation' }),
  replyDescription: 'The installation is linked.',
  errors: ['validation-failed', 'forbidden', 'not-found', 'scm-unreachable', 'not-configured'],
});

export type LinkedInstallation = z.output<(typeof linkInstallation)['reply']>;

export const receiveDelivery = defineOperation({
  id: 'receiveDelivery',
  verb: 'POST',
  path: '/api/webhooks/scm',
  summary: 'Receive a webhook delivery',
  description:
    'A push to a default branch scans the repository for everyone who monitors it; a pull request is checked afterwards, and its head gets a check run; other events are acknowledged with a reason. `X-Hub-Signature-256` signs the raw body.',
  access: 'webhook',
  reply: z
    .union([
      z.strictObject({
        scans: Count.meta({ description: 'Monitored rows' }),
        failed: Count,
        reason: z.enum(['not-monitored', 'unknown-repository']).optional(),
      }),
      z.strictObject({
        reason: z.enum([
          'ping',
          'unsupported-event',
          'not-default-branch',
          'branch-deleted',
          'replayed',
          'recorded',
          'pull-request',
        ]),
      }),
    ])
    .meta({ id: 'Acknowledgement', type: 'object' }),
  replyDescription: 'The delivery is handled or ignored.',
  errors: [
    'invalid-json',
    'validation-failed',
    'bad-signature',
    'unsupported-media-type',
    'payload-too-large',
    'not-configured',
  ],
});
