import type { NotAssessed } from '#lib/scanner/engine/scan.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Combo, ComboSeverity } from './combo.ts';
import { combos as allCombos } from './combos/index.ts';
import { searchOf } from './search.ts';

export interface ScannedRepository {
  readonly notAssessed: readonly NotAssessed[];
  readonly matched: ReadonlySet<string>;
}

export interface CoverageEntry {
  readonly id: string;
  readonly title: string;
  readonly severity: ComboSeverity;
  readonly searchedRepos: number;
  readonly blindedRepos: number;
  /** Searched repositories in which an alternative source of evidence was missing. */
  readonly partialRepos: number;
  readonly matchedRepos: number;
  readonly blindedBy: readonly NotAssessed[];
}

export interface ScannedRepositories {
  readonly notAssessed: readonly NotAssessed[];
  readonly count: number;
  readonly matched: ReadonlyMap<string, number>;
}

export function coverageOf(
  repositories: readonly ScannedRepository[],
  combos: readonly Combo[] = allCombos,
): CoverageEntry[] {
  const groups = repositories.map(({ notAssessed, matched }) => ({
    notAssessed,
    count: 1,
    matched: new Map([...matched].map((id) => [id, 1])),
  }));
  return coverageOfGroups(groups, combos);
}

export function coverageOfGroups(
  groups: readonly ScannedRepositories[],
  combos: readonly Combo[] = allCombos,
): CoverageEntry[] {
  const known = groups.map((group) => ({
    ...group,
    missing: new Map(group.notAssessed.map(({ ruleId, reason }) => [ruleId, reason])),
  }));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return combos.map((combo) => {
    const by = new Map<string, NotAssessed>();
    let blinded = 0;
    let partial = 0;
    let found = 0;
    for (const { missing, count, matched } of known) {
      const search = searchOf(combo, missing);
      if (search.status === 'blinded') blinded += count;
      else found += matched.get(combo.id) ?? 0;
      if (search.status === 'partial') partial += count;
      for (const entry of search.by) by.set(`${entry.ruleId} ${entry.reason}`, entry);
    }
    return {
      id: combo.id,
      title: combo.title,
      severity: combo.severity,
      searchedRepos: total - blinded,
      blindedRepos: blinded,
      partialRepos: partial,
      matchedRepos: found,
      blindedBy: [...by.values()].sort((a, b) => compareText(a.ruleId, b.ruleId) || compareText(a.reason, b.reason)),
    };
  });
}

export function rulesOf(combos: readonly Combo[] = allCombos): string[] {
  const sources = combos.flatMap(({ slots }) => Object.values(slots).flatMap(({ any }) => any));
  return [...new Set(sources.flatMap((source) => ('rule' in source ? [source.rule] : [])))].sort(compareText);
}
