import { type inferParserType, parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { COMBINATION_SEVERITIES } from '../../../messages.ts';
import { allPaths, type FoundPath } from './use-paths.ts';

export const PATH_FILTERS = {
  sev: parseAsStringLiteral(COMBINATION_SEVERITIES),
  kind: parseAsString,
  repo: parseAsString,
  accepted: parseAsBoolean,
  group: parseAsStringLiteral(['repository', 'fix']).withDefault('repository'),
};

export type PathFilters = inferParserType<typeof PATH_FILTERS>;

export const NO_FILTERS = { sev: null, kind: null, repo: null, accepted: null } as const;

export function isFiltered({ sev, kind, repo, accepted }: PathFilters): boolean {
  return sev !== null || kind !== null || repo !== null || accepted !== null;
}

export interface PathGroup {
  readonly key: string;
  readonly title: string;
  readonly paths: readonly FoundPath[];
}

/** Returns the paths that match, in groups with the largest number of the worst paths first. */
export function groupPaths(list: AttackPathList, filters: PathFilters): readonly PathGroup[] {
  const groups = new Map<string, FoundPath[]>();
  const titles = new Map<string, string>();
  for (const found of allPaths(list)) {
    if (!matches(found, filters)) continue;
    const key = filters.group === 'fix' ? found.path.break_chain_rule : found.repoId;
    titles.set(key, filters.group === 'fix' ? key : found.repository);
    groups.set(key, [...(groups.get(key) ?? []), found]);
  }
  return [...groups]
    .map(([key, paths]) => ({ key, title: titles.get(key) ?? key, paths }))
    .sort(
      (a, b) => countCritical(b) - countCritical(a) || b.paths.length - a.paths.length || (a.title < b.title ? -1 : 1),
    );
}

function matches({ repoId, path }: FoundPath, { sev, kind, repo, accepted }: PathFilters): boolean {
  return (
    (sev === null || path.severity === sev) &&
    (kind === null || path.id === kind) &&
    (repo === null || repoId === repo) &&
    (accepted === null || path.contains_accepted_risk === accepted)
  );
}

function countCritical({ paths }: PathGroup): number {
  return paths.filter(({ path }) => path.severity === 'CRITICAL').length;
}
