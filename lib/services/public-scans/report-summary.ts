import { collectEvidence } from '#lib/combos/evidence.ts';
import { fixFirst } from '#lib/combos/fix-first.ts';
import { type AttackPath, findPaths } from '#lib/combos/match.ts';
import type { FoundPath, NewScan, ScanOutlook } from '#lib/db/queries/public-scans.ts';
import type { Env } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import { type Counts, countBySeverity, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import type { Confidence } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { repositoryOf } from '../scans/evaluate.ts';
import { notAssessed } from '../scans/not-assessed.ts';

const SHOWN = 3;
const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];

export function summarize(
  snapshot: RepositorySnapshot,
  env: Pick<Env, 'scm'>,
): Pick<NewScan, 'counts' | 'top_findings' | 'not_assessed' | 'rule_counts' | keyof ScanOutlook> {
  const repository = repositoryOf(snapshot, env);
  const result = scanRepository(repository);
  // Public reports ignore the repository's own suppressions.
  const findings = [...result.findings, ...result.suppressed.map(({ finding }) => finding)];
  const not_assessed = notAssessed(result, snapshot);
  const rule_counts = ruleCounts(findings, result.omitted);
  return {
    counts: allCounts(findings, result.omitted),
    top_findings: topFindings(findings),
    not_assessed,
    rule_counts,
    ...outlookOf(repository, findings),
    checks: checksBy(new Set(not_assessed.map(({ rule_id }) => rule_id)), rule_counts),
  };
}

function outlookOf(repository: Repository, findings: readonly Finding[]): Omit<ScanOutlook, 'checks'> {
  const paths = findPaths(collectEvidence(repository, findings, NO_FACTS), {
    isPrivate: false,
    cachesReadOnly: repository.platform.does('read-only-cache'),
  });
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const fixes = fixFirst([{ id: '', name: '', paths, findings: byFingerprint }]);
  return {
    attack_paths: kindsOf(paths),
    path_fixes: paths.every(({ cuts }) => cuts.length > 0) ? fixes.length : null,
  };
}

function checksBy(open: ReadonlySet<string>, fired: Readonly<Record<string, number>>): ScanOutlook['checks'] {
  const checks = new Map<string, { category: string; passed: number; run: number }>();
  for (const { id, meta } of rules) {
    if (open.has(id)) continue;
    const { category } = meta;
    const { passed, run } = checks.get(category) ?? { passed: 0, run: 0 };
    checks.set(category, { category, passed: passed + Number((fired[id] ?? 0) === 0), run: run + 1 });
  }
  return [...checks.values()];
}

function kindsOf(paths: readonly AttackPath[]): FoundPath[] {
  const kinds = new Map<string, FoundPath>();
  for (const { comboId: id, severity } of paths) {
    const key = `${severity} ${id}`;
    kinds.set(key, { id, severity, count: (kinds.get(key)?.count ?? 0) + 1 });
  }
  return [...kinds.values()];
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
