import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';
import { Category, Count, Counts, NotAssessed, Severity, Timestamp } from './common.ts';

const PublicScanRequest = z
  .strictObject({
    repo: z
      .string()
      .min(1)
      .max(500)
      .meta({ description: '`owner/repo`, or a pasted URL of the code host', examples: ['owner/repo'] }),
  })
  .meta({ id: 'PublicScanRequest' });

export const PublicScanReport = z
  .strictObject({
    slug: z.string().optional().meta({ description: 'Id of the share link; absent when it could not be stored' }),
    repo: z.string(),
    default_branch: z.string().meta({ description: 'Empty when the repository has no commit' }),
    workflow_files: Count,
    findings: Count,
    counts: Counts,
    top_findings: z
      .array(z.strictObject({ severity: Severity, category: Category, rule_id: z.string(), title: z.string() }))
      .max(3),
    locked_findings: Count.meta({ description: 'Findings that the teaser does not show' }),
    cached: z.boolean(),
    scanned_at: Timestamp,
    no_workflows: z.literal(true).optional(),
    not_assessed: z.array(NotAssessed).meta({ description: 'Rules without an answer, with the reason' }),
  })
  .meta({ id: 'PublicScanReport' });

export type PublicScanReport = z.infer<typeof PublicScanReport>;

export const createPublicScan = defineOperation({
  id: 'createPublicScan',
  verb: 'POST',
  path: '/api/public-scan',
  summary: 'Scan a public repository',
  description:
    'A result is kept for an hour for each repository. Five requests a minute from one address, thirty from all together; a cached answer counts too.',
  access: 'public',
  body: PublicScanRequest,
  reply: PublicScanReport,
  replyDescription: 'The report, without the places of the findings.',
  errors: ['invalid-json', 'validation-failed', 'not-found', 'rate-limited', 'scm-unreachable', 'not-configured'],
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
