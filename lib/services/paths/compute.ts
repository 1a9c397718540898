import { rulesOf } from '#lib/combos/coverage.ts';
import { type ScanEvidence, withDecisions } from '#lib/combos/evidence.ts';
import { type AttackPath, findPaths, foldPaths } from '#lib/combos/match.ts';
import type { ComputedPaths, PathInputs, StoredPath } from '#lib/db/queries/attack-paths.ts';
import type { NotAssessed } from '#lib/db/shapes/common.ts';

export const PATH_RULES: readonly string[] = rulesOf();

const MAX_PATHS = 1_000;

interface FoundPaths {
  readonly found: readonly AttackPath[];
  readonly paths: readonly AttackPath[];
}

function pathsUnderSettings(inputs: PathInputs): FoundPaths {
  const { disabled, decided, private: isPrivate, caches_read_only: cachesReadOnly } = inputs;
  const evidence = readEvidence(inputs);
  if (evidence === null) return { found: [], paths: [] };
  const withStatus = (...wanted: readonly string[]) =>
    new Set(Object.entries(decided).flatMap(([fingerprint, status]) => (wanted.includes(status) ? [fingerprint] : [])));
  const decisions = {
    disabledRules: new Set(disabled),
    dismissed: withStatus('dismissed', 'false_positive'),
    accepted: withStatus('accepted', 'snoozed'),
  };
  const surroundings = { isPrivate, ...(cachesReadOnly === null ? {} : { cachesReadOnly }) };
  const found = findPaths(withDecisions(evidence, decisions), surroundings);
  return { found, paths: foldPaths(found) };
}

export function computePaths(inputs: PathInputs): ComputedPaths {
  const { repo_id, scan_id, basis } = inputs;
  const { found, paths: all } = pathsUnderSettings(inputs);
  const paths = all.slice(0, MAX_PATHS);
  return {
    repo_id,
    scan_id,
    basis,
    paths: paths.map(toStored),
    used: [...new Set(paths.flatMap(({ components }) => components.map(({ fingerprint }) => fingerprint)))],
    matched: [...new Set(found.map(({ comboId }) => comboId))],
    missing: missingRules(inputs),
  };
}

function readEvidence({ evidence }: PathInputs): ScanEvidence | null {
  const stored = evidence as ScanEvidence | null;
  return stored?.version === 1 ? stored : null;
}

function missingRules(inputs: PathInputs): NotAssessed[] {
  const disabled = new Set(inputs.disabled);
  const completed = new Set(inputs.completed);
  const reasons = new Map(inputs.not_assessed.map(({ rule_id, reason }) => [rule_id, reason]));
  const readable = readEvidence(inputs) !== null;
  return PATH_RULES.flatMap((rule_id) => {
    const known = reasons.get(rule_id);
    const reason = disabled.has(rule_id)
      ? 'disabled'
      : !readable
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
