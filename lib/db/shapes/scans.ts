import { z } from 'zod';
import { Category, Count, Severity, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const OpenCounts = z.strictObject({ high: Count, medium: Count, low: Count, info: Count });

export const Ruleset = z.enum(['all', 'owasp']);

export const TriageStatus = z.enum(['open', 'dismissed', 'accepted', 'false_positive', 'snoozed']);

export const Triage = z.strictObject({ status: TriageStatus, counts: OpenCounts }).meta({ id: 'Triage' });

export const ScanResult = z
  .strictObject({
    scan_id: Uuid,
    repo_id: Uuid,
    workflow_files: Count,
    counts: OpenCounts.meta({ description: 'Open findings only' }),
    findings: Count.meta({ description: 'All that were stored, triaged ones too' }),
    new_findings: Count.meta({ description: 'Found by no scan before' }),
  })
  .meta({ id: 'ScanResult' });

const Position = z.int().positive().nullable();

export const Finding = z
  .strictObject({
    fingerprint: z.string(),
    rule_id: z.string(),
    severity: Severity,
    confidence: z.enum(['high', 'medium', 'low']),
    category: Category,
    title: z.string(),
    file: z
      .string()
      .nullable()
      .meta({ description: 'This and the rest of the place are null for a repository setting' }),
    line: Position,
    column: Position,
    end_line: Position,
    end_column: Position,
    snippet: z.string().nullable().meta({ description: 'With credentials redacted' }),
    description: z.string(),
    recommendation: z.string(),
    fixable: z.boolean(),
  })
  .meta({ id: 'PathFinding' });

export const ExpiredTriage = z
  .strictObject({
    expired: Count.meta({ description: 'Findings that are open again' }),
    repositories: Count.meta({ description: 'Repositories that they are of' }),
  })
  .meta({ id: 'ExpiredTriage' });

export type OpenCounts = Shape<typeof OpenCounts>;
export type Ruleset = Shape<typeof Ruleset>;
export type TriageStatus = Shape<typeof TriageStatus>;
export type Triage = Shape<typeof Triage>;
export type ScanResult = Shape<typeof ScanResult>;
export type Finding = Shape<typeof Finding>;
export type ExpiredTriage = Shape<typeof ExpiredTriage>;
