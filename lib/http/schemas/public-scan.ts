import { z } from 'zod';
import { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { defineOperation } from '../route/operation.ts';

const PublicScanRequest = z
  .strictObject({
    repo: z
      .string()
      .min(1)
      .max(500)
      .meta({ description: '`owner/repo`, or a pasted URL of the code host', examples: ['owner/repo'] }),
  })
  .meta({ id: 'PublicScanRequest' });

export const createPublicScan = defineOperation({
  id: 'createPublicScan',
  verb: 'POST',
  path: '/api/public-scan',
  summary: 'Scan a public repository',
  description:
    'Includes findings that comments or `.github/chainbreak.yml` suppress: a repository does not control its public report and badge. Checking the files may take ten seconds (504 after that), and wait as long for a free thread (503 with `Retry-After` after that). Results are cached for an hour per repository. Limit: five requests a minute per IP address, thirty for everyone together, including cached results.',
  access: 'public',
  body: PublicScanRequest,
  reply: PublicScanReport,
  replyDescription: 'The report, without the places of findings.',
  errors: [
    'invalid-json',
    'validation-failed',
    'not-found',
    'rate-limited',
    'scm-unreachable',
    'not-configured',
    'timed-out',
  ],
});

export const getPublicScan = defineOperation({
  id: 'getPublicScan',
  verb: 'GET',
  path: '/api/public-scan/{slug}',
  summary: 'Get a stored report',
  access: 'public',
  params: z.object({ slug: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
  reply: PublicScanReport,
  replyDescription: 'The report as stored. It never changes.',
  errors: ['not-found', 'not-configured'],
});
