import { type inferParserType, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { COMBINATION_SEVERITIES } from '../../../messages.ts';
import { allPaths, type FoundPath } from './use-paths.ts';

export const PATH_FILTERS = {
  sev: parseAsStringLiteral(COMBINATION_SEVERITIES),
  kind: parseAsString,
  repo: parseAsString,
  accepted: parseAsBoolean,
  group: parseAsStringLiteral(['repository', 'fix']).withDefault('repository'),
  page: parseAsInteger.withDefault(1),
};

export const PAGE_PATHS = 50;

export type PathFilters = inferParserType<typeof PATH_FILTERS>;

export const NO_FILTERS = { sev: null, kind: null, repo: null, accepted: null, page: null } as const;

export function isFiltered({ sev, kind, repo, accepted }: PathFilters): boolean {
  return sev !== null || kind !== null || repo !== null || accepted !== null;
}

export interface PathGroup {
  readonly key: string;
  readonly title: string;
  readonly paths: readonly FoundPath[];
  readonly total: number;
}

export function groupPaths(list: AttackPathList, filters: PathFilters): readonly PathGroup[] {
  const groups = new Map<string, FoundPath[]>();
  const titles = new Map<string, string>();
  for (const found of allPaths(list)) {
    if (!matches(found, filters)) continue;
    const key = filters.group === 'fix' ? found.path.break_chain_rule : found.repoId;
    titles.set(key, filters.group === 'fix' ? key : found.repository);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [found]);
    else group.push(found);
  }
  return [...groups]
    .map(([key, paths]) => ({
      key,
      title: titles.get(key) ?? key,
      paths,
      total: paths.length,
      critical: countCritical(paths),
    }))
    .sort((a, b) => b.critical - a.critical || b.total - a.total || (a.title < b.title ? -1 : 1));
}

export function pageOfGroups(groups: readonly PathGroup[], page: number): readonly PathGroup[] {
  const [from, to] = [(page - 1) * PAGE_PATHS, page * PAGE_PATHS];
  let before = 0;
  return groups.flatMap((group) => {
    const start = before;
    before += group.total;
    const paths = group.paths.slice(Math.max(0, from - start), Math.max(0, to - start));
    return paths.length === 0 ? [] : [{ ...group, paths }];
  });
}

function matches({ repoId, path }: FoundPath, { sev, kind, repo, accepted }: PathFilters): boolean {
  return (
    (sev === null || path.severity === sev) &&
    (kind === null || path.id === kind) &&
    (repo === null || repoId === repo) &&
    (accepted === null || path.contains_accepted_risk === accepted)
  );
}

function countCritical(paths: readonly FoundPath[]): number {
  return paths.filter(({ path }) => path.severity === 'CRITICAL').length;
}
