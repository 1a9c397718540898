import { type Counts, countBySeverity, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import type { Confidence } from '#lib/scanner/engine/rule.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

const SHOWN = 3;
const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];

export function topFindings(findings: readonly Finding[]) {
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

/** Counts all findings by severity, those that the scan does not list included. */
export function allCounts(findings: readonly Finding[], omitted: readonly Omitted[]): Counts {
  const counts = { ...countBySeverity(findings) };
  for (const { severity, count } of omitted) counts[severity] += count;
  return counts;
}

export function ruleCounts(findings: readonly Finding[], omitted: readonly Omitted[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { ruleId } of findings) counts[ruleId] = (counts[ruleId] ?? 0) + 1;
  for (const { ruleId, count } of omitted) counts[ruleId] = (counts[ruleId] ?? 0) + count;
  return counts;
}
