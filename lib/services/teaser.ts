import type { RepositorySnapshot } from '../code-host/port.ts';
import type { NotAssessedReason } from '../scanner/facts.ts';
import { compareText, type Finding, severityRank } from '../scanner/finding.ts';
import type { Confidence } from '../scanner/rule.ts';
import { rules } from '../scanner/rules/index.ts';
import type { ScanResult } from '../scanner/scan.ts';
import { fileKind } from '../workflow/repository.ts';

const SHOWN = 3;
const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];

/** The first findings by severity, confidence and rule: what kind they are, never where. */
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

/** How often each rule fired. */
export function ruleCounts(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { ruleId } of findings) counts[ruleId] = (counts[ruleId] ?? 0) + 1;
  return counts;
}

/**
 * The rules without a complete answer: what the engine says, and those that look at a kind of file of which the budget
 * of requests or the code host's limit on a file's size left one out.
 */
export function notAssessed(
  result: ScanResult,
  { files, unread }: Pick<RepositorySnapshot, 'files' | 'unread'>,
): { rule_id: string; reason: NotAssessedReason }[] {
  const reasons = new Map(result.notAssessed.map(({ ruleId, reason }) => [ruleId, reason]));
  const missing = [...unread, ...files.filter(({ text }) => text === undefined).map(({ path }) => path)];
  const kinds = new Set(missing.map(fileKind));
  for (const { id, check } of rules) {
    const looks = [...kinds].some((kind) => kind !== undefined && kind !== 'config' && check[kind] !== undefined);
    if (looks && !reasons.has(id)) reasons.set(id, 'rate_limited');
  }
  return [...reasons]
    .map(([rule_id, reason]) => ({ rule_id, reason }))
    .sort((a, b) => compareText(a.rule_id, b.rule_id));
}
