import { collectEvidence, type Decisions, type ScanEvidence, withDecisions } from '#lib/combos/evidence.ts';
import { type AttackPath, comboSeverityRank, findPaths, foldPaths, type Surroundings } from '#lib/combos/match.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { compareFindings, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

export interface Side {
  readonly repository: Repository;
  readonly result: ScanResult;
}

export interface CompareOptions {
  readonly facts: Facts;
  readonly isPrivate?: boolean;
  readonly decisions?: Decisions;
  readonly ignoresAddedComments?: boolean;
}

export interface Parts {
  readonly findings: readonly Finding[];
  readonly paths: readonly AttackPath[];
  readonly omitted: readonly Omitted[];
}

export interface Comparison {
  readonly added: Parts;
  readonly head: Parts;
  readonly listed: readonly Finding[];
}

/**
 * Compares two commits of a repository. A finding is added if the base does not have it, or has it less severe. An
 * attack path is added if the base does not have it at that place, or if it depends on added findings.
 */
export function compareSides(base: Side, head: Side, options: CompareOptions): Comparison {
  const { decisions = {}, ignoresAddedComments = false } = options;
  const listed = ignoresAddedComments ? withoutNewComments(base.result, head.result) : head.result.findings;
  const isOpen = ({ ruleId, fingerprint }: Finding): boolean =>
    !isDecided(decisions, fingerprint) && decisions.disabledRules?.has(ruleId) !== true;
  const findings = listed.filter(isOpen);
  const before = new Map(base.result.findings.map((finding) => [finding.fingerprint, finding]));
  const isAdded = ({ fingerprint, severity }: Finding): boolean => {
    const old = before.get(fingerprint);
    return old === undefined || severityRank(severity) < severityRank(old.severity);
  };
  const omitted = head.result.omitted.filter(
    ({ suppressed, ruleId }) => !suppressed && decisions.disabledRules?.has(ruleId) !== true,
  );
  const paths = pathsOf(base, { ...head, listed }, new Set(listed.filter(isAdded).map(idOf)), options);
  return {
    listed,
    head: { findings, omitted, paths: paths.all },
    added: { findings: findings.filter(isAdded), omitted: moreOmitted(base.result, omitted), paths: paths.added },
  };
}

function isDecided({ dismissed, accepted }: Decisions, fingerprint: string): boolean {
  return dismissed?.has(fingerprint) === true || accepted?.has(fingerprint) === true;
}

function idOf({ fingerprint }: Finding): string {
  return fingerprint;
}

function withoutNewComments(base: ScanResult, head: ScanResult): readonly Finding[] {
  const silentBefore = new Set(base.suppressed.map(({ finding }) => finding.fingerprint));
  const back = head.suppressed.flatMap(({ finding, by }) =>
    by === 'comment' && !silentBefore.has(finding.fingerprint) ? [finding] : [],
  );
  return back.length === 0 ? head.findings : [...head.findings, ...back].sort(compareFindings);
}

function moreOmitted(base: ScanResult, omitted: readonly Omitted[]): Omitted[] {
  const keyOf = ({ ruleId, file, severity }: Omitted): string => JSON.stringify([ruleId, file, severity]);
  const before = new Map(base.omitted.flatMap((each) => (each.suppressed ? [] : [[keyOf(each), each.count] as const])));
  return omitted.flatMap((each) => {
    const count = each.count - (before.get(keyOf(each)) ?? 0);
    return count > 0 ? [{ ...each, count }] : [];
  });
}

function pathsOf(
  base: Side,
  head: Side & { readonly listed: readonly Finding[] },
  addedIds: ReadonlySet<string>,
  { facts, isPrivate, decisions = {} }: CompareOptions,
): { readonly all: readonly AttackPath[]; readonly added: readonly AttackPath[] } {
  const surroundings: Surroundings = {
    ...(isPrivate === undefined ? {} : { isPrivate }),
    cachesReadOnly: head.repository.platform.does('read-only-cache'),
  };
  const evidence = withDecisions(collectEvidence(head.repository, head.listed, facts), decisions);
  const found = findPaths(evidence, surroundings);
  if (found.length === 0) return { all: [], added: [] };
  const before = collectEvidence(base.repository, base.result.findings, facts);
  const inBase = worstBy(findPaths(withDecisions(before, decisions), surroundings), placeOf);
  const untouched = worstBy(findPaths(without(evidence, addedIds), surroundings), anchorOf);
  const isOld = (path: AttackPath): boolean =>
    isThere(inBase, placeOf(path), path) && isThere(untouched, anchorOf(path), path);
  return { all: foldPaths(found), added: foldPaths(found.filter((path) => !isOld(path))) };
}

function without(evidence: ScanEvidence, fingerprints: ReadonlySet<string>): ScanEvidence {
  const findings = evidence.findings.filter(({ fingerprint }) => !fingerprints.has(fingerprint));
  return { ...evidence, findings };
}

/** Steps move within a job, so they are no part of a place in another commit. */
function placeOf({ comboId, scope, file, job }: AttackPath): string {
  return JSON.stringify([comboId, scope, file, job]);
}

function anchorOf({ comboId, scope, anchor }: AttackPath): string {
  return JSON.stringify([comboId, scope, anchor]);
}

type Worst = ReadonlyMap<string, number>;

function worstBy(paths: readonly AttackPath[], keyOf: (path: AttackPath) => string): Worst {
  const worst = new Map<string, number>();
  for (const path of paths) {
    const key = keyOf(path);
    worst.set(key, Math.min(worst.get(key) ?? Number.POSITIVE_INFINITY, comboSeverityRank(path.severity)));
  }
  return worst;
}

function isThere(worst: Worst, key: string, { severity }: AttackPath): boolean {
  const rank = worst.get(key);
  return rank !== undefined && rank <= comboSeverityRank(severity);
}
