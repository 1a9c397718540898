import type { CoverageEntry } from './coverage.ts';
import type { AttackPath, PathStage } from './match.ts';

type PathFields = Omit<AttackPath, 'job' | 'anchor' | 'stages' | 'components' | 'facts' | 'cuts'> & {
  readonly stages: readonly Omit<PathStage, 'fingerprints'>[];
};

export function pathJson<Component>(path: PathFields, components: readonly Component[]) {
  return {
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
    components,
    mitigated_by: path.mitigatedBy,
    contains_accepted_risk: path.containsAcceptedRisk,
  };
}

export function coverageJson(entry: CoverageEntry) {
  return {
    id: entry.id,
    title: entry.title,
    severity: entry.severity,
    searched_repos: entry.searchedRepos,
    blinded_repos: entry.blindedRepos,
    partial_repos: entry.partialRepos,
    matched_repos: entry.matchedRepos,
    blinded_by: entry.blindedBy.map(({ ruleId, reason }) => ({ rule_id: ruleId, reason })),
  };
}
