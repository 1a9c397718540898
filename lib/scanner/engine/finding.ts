import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Category, Confidence, Fix, Report, Severity } from './rule.ts';

export interface RelatedPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly note: string;
  readonly snippet?: string | null;
}

export interface Finding {
  readonly ruleId: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly title: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  readonly description: string;
  readonly recommendation: string;
  readonly snippet: string | null;
  readonly fingerprint: string;
  readonly fixable: boolean;
  readonly fix: Fix | undefined;
  readonly advice: string | undefined;
  readonly job: string | undefined;
  readonly step: number | undefined;
  readonly attributes: NonNullable<Report['attributes']>;
  readonly related?: readonly RelatedPlace[];
  readonly pedantic?: boolean;
}

export const SEVERITIES: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW', 'INFO'];

export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareText(a.file ?? '\uFFFF', b.file ?? '\uFFFF') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.ruleId, b.ruleId) ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

export type Counts = Readonly<Record<Severity, number>>;

export function countBySeverity(findings: readonly Pick<Finding, 'severity'>[]): Counts {
  const counts = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}
