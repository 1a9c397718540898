import { z } from 'zod';
import { Category, Count, Severity, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const OpenCounts = z.strictObject({ high: Count, medium: Count, low: Count, info: Count });

export const Ruleset = z.enum(['all', 'owasp']);

export const TriageStatus = z.enum(['open', 'dismissed', 'accepted', 'false_positive', 'snoozed']);

export const Triage = z.strictObject({ status: TriageStatus, counts: OpenCounts }).meta({ id: 'Triage' });

export const TriageResults = z
  .strictObject({
    applied: Count.meta({ description: 'Number of findings triaged' }),
    results: z.array(
      z.strictObject({
        repo_id: Uuid,
        fingerprint: z.string(),
        outcome: z.enum(['applied', 'not-found', 'changed-meanwhile']).meta({
          description: '`changed-meanwhile` if the status is not the one in `if_status`',
        }),
      }),
    ),
  })
  .meta({ id: 'TriageResults' });

export const ScanResult = z
  .strictObject({
    scan_id: Uuid,
    repo_id: Uuid,
    workflow_files: Count,
    counts: OpenCounts.meta({ description: 'Open findings only' }),
    findings: Count.meta({ description: 'All stored findings, including triaged ones' }),
    new_findings: Count.meta({ description: 'Not found by any earlier scan' }),
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
    file: z.string().nullable().meta({ description: 'Null for a repository setting, like the rest of the place' }),
    line: Position,
    column: Position,
    end_line: Position,
    end_column: Position,
    snippet: z.string().nullable().meta({ description: 'Credentials are redacted' }),
    description: z.string(),
    recommendation: z.string(),
    fixable: z.boolean(),
  })
  .meta({ id: 'PathFinding' });

export const ExpiredTriage = z
  .strictObject({
    expired: Count.meta({ description: 'Reopened findings' }),
    repositories: Count.meta({ description: 'Repositories with reopened findings' }),
  })
  .meta({ id: 'ExpiredTriage' });

export type OpenCounts = Shape<typeof OpenCounts>;
export type Ruleset = Shape<typeof Ruleset>;
export type TriageStatus = Shape<typeof TriageStatus>;
export type Triage = Shape<typeof Triage>;
export type TriageResults = Shape<typeof TriageResults>;
export type ScanResult = Shape<typeof ScanResult>;
export type Finding = Shape<typeof Finding>;
export type ExpiredTriage = Shape<typeof ExpiredTriage>;
