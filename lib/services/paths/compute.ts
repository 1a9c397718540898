import { combos } from '#lib/combos/combos/index.ts';
import { rulesOf } from '#lib/combos/coverage.ts';
import { type ScanEvidence, withDecisions } from '#lib/combos/evidence.ts';
import { type AttackPath, comboSeverityRank, findPaths, foldPaths } from '#lib/combos/match.ts';
import type { ComputedPaths, PathInputs, StoredPath } from '#lib/db/queries/attack-paths.ts';
import type { NotAssessed } from '#lib/db/shapes/common.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

export const PATH_RULES: readonly string[] = rulesOf();

const MAX_PATHS = 1_000;

const RULES_OF: ReadonlyMap<string, readonly string[]> = new Map(combos.map((combo) => [combo.id, rulesOf([combo])]));

interface FoundPaths {
  readonly found: readonly AttackPath[];
  /** Combinations that match when every rule is on and nothing is dismissed; fewer findings never add a match. */
  readonly possible: readonly AttackPath[];
}

function pathsUnderSettings(inputs: PathInputs): FoundPaths {
  const { disabled, decided, private: isPrivate, caches_read_only: cachesReadOnly } = inputs;
  const evidence = readEvidence(inputs);
  if (evidence === null) return { found: [], possible: [] };
  const withStatus = (...wanted: readonly string[]) =>
    new Set(Object.entries(decided).flatMap(([fingerprint, status]) => (wanted.includes(status) ? [fingerprint] : [])));
  const decisions = {
    disabledRules: new Set(disabled),
    dismissed: withStatus('dismissed', 'false_positive'),
    accepted: withStatus('accepted', 'snoozed'),
  };
  const surroundings = { isPrivate, ...(cachesReadOnly === null ? {} : { cachesReadOnly }) };
  const found = findPaths(withDecisions(evidence, decisions), surroundings);
  const decidedNothing = disabled.length === 0 && Object.keys(decided).length === 0;
  return { found, possible: decidedNothing ? found : findPaths(evidence, surroundings) };
}

export function computePaths(inputs: PathInputs): ComputedPaths {
  const { repo_id, scan_id, basis, disabled, private: isPrivate } = inputs;
  const { found, possible } = pathsUnderSettings(inputs);
  const paths = foldPaths(found).slice(0, MAX_PATHS);
  const count = (severity: AttackPath['severity']) => paths.filter((path) => path.severity === severity).length;
  const [worst] = paths;
  return {
    repo_id,
    scan_id,
    basis,
    disabled,
    private: isPrivate,
    rules: rulesThatDecide(inputs, possible),
    matched: idsOf(found),
    total: paths.length,
    critical: count('CRITICAL'),
    high: count('HIGH'),
    worst_rank: worst === undefined ? null : comboSeverityRank(worst.severity),
    worst_id: worst?.comboId ?? null,
    worst_file: worst?.file ?? null,
    gaps: gapsOf(inputs),
    paths: paths.map(toStored),
    used: [...new Set(paths.flatMap(({ components }) => components.map(({ fingerprint }) => fingerprint)))],
  };
}

function idsOf(paths: readonly AttackPath[]): string[] {
  return [...new Set(paths.map(({ comboId }) => comboId))].sort(compareText);
}

function rulesThatDecide(inputs: PathInputs, possible: readonly AttackPath[]): string[] {
  const reported = new Set(readEvidence(inputs)?.findings.map(({ ruleId }) => ruleId));
  const rules = new Set(idsOf(possible).flatMap((id) => RULES_OF.get(id) ?? []));
  return [...rules].filter((rule) => reported.has(rule)).sort(compareText);
}

function readEvidence({ evidence }: PathInputs): ScanEvidence | null {
  const stored = evidence as ScanEvidence | null;
  return stored?.version === 1 ? stored : null;
}

function gapsOf(inputs: PathInputs): NotAssessed[] {
  const completed = new Set(inputs.completed);
  const reasons = new Map(inputs.not_assessed.map(({ rule_id, reason }) => [rule_id, reason]));
  const readable = readEvidence(inputs) !== null;
  return PATH_RULES.flatMap((rule_id) => {
    const known = reasons.get(rule_id);
    const reason = !readable
      ? 'not_run'
      : known !== undefined && known !== 'disabled'
        ? known
        : !completed.has(rule_id)
          ? 'not_run'
          : inputs.whole === false
            ? 'rate_limited'
            : undefined;
    return reason === undefined ? [] : [{ rule_id, reason }];
  });
}

function toStored(path: AttackPath): StoredPath {
  const { comboId, severity, scope, file, breakChainRule, stages, components, mitigatedBy, containsAcceptedRisk } =
    path;
  const places = new Map(components.map(({ fingerprint }, place) => [fingerprint, place]));
  return {
    id: comboId,
    severity,
    scope,
    file,
    break_rule: breakChainRule,
    stages: stages.map(({ ruleId }) => ruleId),
    components: components.map(({ fingerprint }) => fingerprint),
    cuts: path.cuts.map((cut) => cut.flatMap((fingerprint) => places.get(fingerprint) ?? [])),
    mitigated_by: mitigatedBy,
    accepted: containsAcceptedRisk,
  };
}
