import { comboSeverityRank } from '#lib/combos/match.ts';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Category, Severity } from '#lib/scanner/engine/rule.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { PathsReport } from './paths-report.ts';
import type { Rooted } from './report.ts';

export interface RuleGroup {
  readonly ruleId: string;
  readonly title: string;
  readonly severity: Severity;
  readonly findings: readonly Rooted<Finding>[];
}

/** What an attacker gains, the most first: code in a run, credentials, what others install. */
const LOSSES: readonly Category[] = [
  'CICD-SEC-4',
  'CICD-SEC-6',
  'CICD-SEC-3',
  'CICD-SEC-9',
  'CICD-SEC-5',
  'CICD-SEC-2',
  'CICD-SEC-1',
  'CICD-SEC-8',
  'CICD-SEC-7',
  'CICD-SEC-10',
];

export function byRule(
  findings: readonly Rooted<Finding>[],
  { paths }: Pick<PathsReport, 'paths'> = { paths: [] },
): RuleGroup[] {
  const ranks = new Map<string, number>();
  for (const { root, severity, components } of paths) {
    for (const { fingerprint } of components) {
      const key = `${root}\n${fingerprint}`;
      ranks.set(key, Math.min(ranks.get(key) ?? Number.POSITIVE_INFINITY, comboSeverityRank(severity)));
    }
  }
  const pathRank = ({ root, fingerprint }: Rooted<Finding>): number => ranks.get(`${root}\n${fingerprint}`) ?? 9;
  const lists = new Map<string, Rooted<Finding>[]>();
  for (const finding of findings) {
    const list = lists.get(finding.ruleId);
    if (list === undefined) lists.set(finding.ruleId, [finding]);
    else list.push(finding);
  }
  return [...lists]
    .map(([ruleId, list]) => {
      list.sort((a, b) => severityRank(a.severity) - severityRank(b.severity) || pathRank(a) - pathRank(b));
      const [first] = list as [Rooted<Finding>];
      const worst = list.filter(({ severity }) => severity === first.severity);
      const order = [Math.min(...worst.map(pathRank)), LOSSES.indexOf(first.category)] as const;
      return { group: { ruleId, title: first.title, severity: first.severity, findings: list }, order };
    })
    .sort(
      (a, b) =>
        severityRank(a.group.severity) - severityRank(b.group.severity) ||
        a.order[0] - b.order[0] ||
        a.order[1] - b.order[1] ||
        compareText(a.group.ruleId, b.group.ruleId),
    )
    .map(({ group }) => group);
}

export function fixableCounts(findings: readonly Pick<Finding, 'fix' | 'fixable'>[]): {
  readonly safe: number;
  readonly review: number;
} {
  const review = findings.filter(({ fix }) => fix?.safety === 'review').length;
  return { safe: findings.filter(({ fixable }) => fixable).length - review, review };
}
