import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
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

export function ruleCounts(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { ruleId } of findings) counts[ruleId] = (counts[ruleId] ?? 0) + 1;
  return counts;
}
