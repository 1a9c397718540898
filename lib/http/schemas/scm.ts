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
    "For the redirect that ends an installation. The caller must own the installation's account or administer that organization at the code host; a number alone links nothing.",
  access: 'user',
  query: OrgQuery.extend({
    installation_id: z.string().regex(/^[1-9]\d{0,15}$/, 'a number'),
    code: z.string().min(1).max(200).optional().meta({ description: 'Of the same redirect, when it has one' }),
    state: z.string().max(500).optional().meta({ description: 'Of the same redirect; for the client to check' }),
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
  summary: 'Receive a delivery of the code host',
  description:
    'A push to a default branch scans the repository once for each row that is monitored; everything else is acknowledged with a reason. `X-Hub-Signature-256` signs the bytes of the body.',
  access: 'webhook',
  reply: z
    .union([
      z.strictObject({
        scans: Count.meta({ description: 'Monitored rows' }),
        failed: Count,
        reason: z.enum(['not-monitored', 'unknown-repository']).optional(),
      }),
      z.strictObject({
        reason: z.enum(['ping', 'unsupported-event', 'not-default-branch', 'branch-deleted', 'replayed', 'recorded']),
      }),
    ])
    .meta({ id: 'Acknowledgement', type: 'object' }),
  replyDescription: 'The delivery is handled, or needs no handling.',
  errors: [
    'invalid-json',
    'validation-failed',
    'bad-signature',
    'unsupported-media-type',
    'payload-too-large',
    'not-configured',
  ],
});
