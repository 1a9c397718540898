import type { NewScan } from '#lib/db/queries/public-scans.ts';
import type { Env } from '#lib/env.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { type Counts, countBySeverity, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import type { Confidence } from '#lib/scanner/engine/rule.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { repositoryOf } from '../scans/evaluate.ts';
import { notAssessed } from '../scans/not-assessed.ts';

const SHOWN = 3;
const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];

/** Scans a public repository and returns what anyone may see. */
export function summarize(
  snapshot: RepositorySnapshot,
  env: Pick<Env, 'scm'>,
): Pick<NewScan, 'counts' | 'top_findings' | 'not_assessed' | 'rule_counts'> {
  const result = scanRepository(repositoryOf(snapshot, env));
  // Public reports ignore the repository's own suppressions.
  const findings = [...result.findings, ...result.suppressed.map(({ finding }) => finding)];
  return {
    counts: allCounts(findings, result.omitted),
    top_findings: topFindings(findings),
    not_assessed: notAssessed(result, snapshot),
    rule_counts: ruleCounts(findings, result.omitted),
  };
}

function topFindings(findings: readonly Finding[]) {
  return [...findings]
    .sort(
      (a, b) =>
        severityRank(a.severity) - severityRank(b.severity) ||
        CONFIDENCES.indexOf(a.confidence) - CONFIDENCES.indexOf(b.confidence) ||
        compareText(a.ruleId, b.ruleId),
    )
    .slice(0, SHOWN)
    .map(({ severity, category, ruleId, title }) => ({ severity, category, rule_id: ruleId, title }));
}

function allCounts(findings: readonly Finding[], omitted: readonly Omitted[]): Counts {
  const counts = { ...countBySeverity(findings) };
  for (const { severity, count } of omitted) counts[severity] += count;
  return counts;
}

function ruleCounts(findings: readonly Finding[], omitted: readonly Omitted[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { ruleId } of findings) counts[ruleId] = (counts[ruleId] ?? 0) + 1;
  for (const { ruleId, count } of omitted) counts[ruleId] = (counts[ruleId] ?? 0) + count;
  return counts;
}
