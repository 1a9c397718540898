import { z } from 'zod';
import { Category, Count, Counts, NotAssessed, Severity, Timestamp } from './common.ts';
import type { Shape } from './shape.ts';

export const ShownScan = z.strictObject({
  repo: z.string(),
  default_branch: z.string().meta({ description: 'Empty if the repository has no commit' }),
  workflow_files: Count,
  counts: Counts,
  top_findings: z
    .array(z.strictObject({ severity: Severity, category: Category, rule_id: z.string(), title: z.string() }))
    .max(3),
  not_assessed: z.array(NotAssessed).meta({ description: 'Rules that could not be assessed, with the reason' }),
});

const { repo, default_branch, workflow_files, counts, top_findings, not_assessed } = ShownScan.shape;

export const PublicScanReport = z
  .strictObject({
    slug: z.string().optional().meta({ description: 'Id of the share link; absent if the report could not be stored' }),
    repo,
    default_branch,
    workflow_files,
    findings: Count,
    counts,
    top_findings,
    locked_findings: Count.meta({ description: 'Findings that are not shown' }),
    cached: z.boolean(),
    scanned_at: Timestamp,
    no_workflows: z.literal(true).optional(),
    not_assessed,
  })
  .meta({ id: 'PublicScanReport' });

export type ShownScan = Shape<typeof ShownScan>;
export type PublicScanReport = Shape<typeof PublicScanReport>;
