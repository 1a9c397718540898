import { z } from 'zod';
import { Category, Count, Counts, Severity, Timestamp } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';

const Headline = z
  .string()
  .regex(/^\d+k\+$/)
  .meta({ description: 'Whole thousands' });

const PublicStats = z
  .strictObject({
    repositories_scanned: Headline,
    workflows_scanned: Headline,
    findings_found: Headline,
    actions_scored: Headline,
    top_rules: z
      .array(z.strictObject({ rule_id: z.string(), title: z.string(), category: Category, severity: Severity }))
      .max(10)
      .meta({ description: 'Empty with fewer than ten scanned repositories' }),
    recent: z
      .array(z.strictObject({ repo: z.string(), findings: Count, counts: Counts, scanned_at: Timestamp }))
      .max(10)
      .meta({ description: 'The latest anonymous scans, one per repository' }),
  })
  .meta({ id: 'PublicStats' });

export const getPublicStats = defineOperation({
  id: 'getPublicStats',
  verb: 'GET',
  path: '/api/public-stats',
  summary: 'Get statistics of all scans',
  access: 'public',
  reply: PublicStats,
  replyDescription: 'Coarse figures, up to ten minutes old.',
  errors: ['not-configured'],
});
