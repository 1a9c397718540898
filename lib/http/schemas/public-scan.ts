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
    'Findings that comments or `.github/chainbreak.yml` silence count, too: a repository does not decide what its report and badge say. Checking the files may take ten seconds (504 then), and waits for a free thread for as long (503 with `Retry-After` then). A result is kept for an hour for each repository. Five requests a minute from one address, thirty from all together; a cached answer counts too.',
  access: 'public',
  body: PublicScanRequest,
  reply: PublicScanReport,
  replyDescription: 'The report, without the places of the findings.',
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
  summary: 'A stored report',
  access: 'public',
  params: z.object({ slug: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
  reply: PublicScanReport,
  replyDescription: 'The report as it was. It never changes.',
  errors: ['not-found', 'not-configured'],
});
