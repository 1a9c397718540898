import { findingJson } from './json.ts';
import type { PathsReport } from './paths-report.ts';

/** Every key is always present. */
export function pathsToJson({ paths, coverage, fixFirst }: PathsReport): string {
  return `${JSON.stringify(
    {
      combos: paths.map((path) => ({
        root: path.root,
        id: path.comboId,
        title: path.title,
        severity: path.severity,
        scope: path.scope,
        file: path.file,
        impact: path.impact,
        break_chain: path.breakChain,
        break_chain_rule: path.breakChainRule,
        stages: path.stages.map(({ order, title, description, ruleId }) => ({
          order,
          title,
          description,
          rule_id: ruleId,
        })),
        components: path.findings.map((finding) => ({ rule_id: finding.ruleId, finding: findingJson(finding) })),
        mitigated_by: path.mitigatedBy,
        contains_accepted_risk: path.containsAcceptedRisk,
      })),
      coverage: coverage.map((entry) => ({
        id: entry.id,
        title: entry.title,
        severity: entry.severity,
        searched_repos: entry.searchedRepos,
        blinded_repos: entry.blindedRepos,
        partial_repos: entry.partialRepos,
        matched_repos: entry.matchedRepos,
        blinded_by: entry.blindedBy.map(({ ruleId, reason }) => ({ rule_id: ruleId, reason })),
      })),
      fix_first: fixFirst.map(({ fingerprint, ruleId, breaks, finding }) => ({
        root: finding.root,
        fingerprint,
        rule_id: ruleId,
        file: finding.file,
        line: finding.line,
        breaks,
      })),
    },
    null,
    2,
  )}\n`;
}
