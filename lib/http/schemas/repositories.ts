import { z } from 'zod';
import { Uuid } from '#lib/db/shapes/common.ts';
import { Repository } from '#lib/db/shapes/repositories.ts';
import { Ruleset, ScanResult } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId } from './common.ts';

export const listRepositories = defineOperation({
  id: 'listRepositories',
  verb: 'GET',
  path: '/api/repos',
  summary: 'Refresh the repositories from the code host',
  description:
    'Queries every installation of the organization, stores the repositories it sees and returns them. Repositories that left an installation are marked as removed. If one installation fails, the request fails and nothing is stored.',
  access: 'user',
  query: OrgQuery,
  reply: z
    .strictObject({
      connected: z
        .boolean()
        .meta({ description: 'True if an installation is linked and neither removed nor suspended' }),
      repositories: z.array(Repository).meta({ description: 'Sorted by full name' }),
    })
    .meta({ id: 'RepositoryList' }),
  replyDescription: 'The current repositories.',
  errors: ['validation-failed', 'forbidden', 'scm-unreachable'],
});

export type RepositoryList = z.output<(typeof listRepositories)['reply']>;

const ScanRequest = z.strictObject({ repo_id: Uuid, ruleset: Ruleset.default('all') }).meta({ id: 'ScanRequest' });

export const createScan = defineOperation({
  id: 'createScan',
  verb: 'POST',
  path: '/api/scan',
  summary: 'Scan a repository',
  description:
    'Scans the head of the default branch under the organization’s rule settings and stores the whole result. Scans of one repository run one after another.',
  access: 'user',
  body: ScanRequest,
  reply: ScanResult,
  replyDescription: 'The scan is stored.',
  errors: ['invalid-json', 'validation-failed', 'not-found', 'scm-unreachable', 'not-configured', 'timed-out'],
});

export type ScanReply = z.output<(typeof createScan)['reply']>;

const RepositoryPath = z.object({ repo_id: PathId });

export const setMonitored = defineOperation({
  id: 'setMonitored',
  verb: 'PUT',
  path: '/api/repositories/{repo_id}/monitor',
  summary: 'Enable or disable scans at each push to the default branch',
  access: 'user',
  params: RepositoryPath,
  body: z.strictObject({ monitored: z.boolean() }).meta({ id: 'MonitorRequest' }),
  reply: z.strictObject({ monitored: z.boolean() }).meta({ id: 'Monitor' }),
  replyDescription: 'The current setting.',
  errors: ['invalid-json', 'validation-failed', 'not-found'],
});
