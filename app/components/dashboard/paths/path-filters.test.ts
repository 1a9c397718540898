import { describe, expect, it } from 'vitest';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { groupPaths, PAGE_PATHS, pageOfGroups } from './path-filters.ts';

function listOf(sizes: Readonly<Record<string, number>>): AttackPathList {
  const repos = Object.entries(sizes).map(([name, size]) => ({
    repo_id: name,
    full_name: name,
    combos: Array.from({ length: size }, (_, index) => ({
      id: `${name}-${index}`,
      severity: index === 0 && name === name.toUpperCase() ? 'CRITICAL' : 'HIGH',
      break_chain_rule: 'a-rule',
      contains_accepted_risk: false,
    })),
  }));
  return { repos } as unknown as AttackPathList;
}

const ALL = { sev: null, kind: null, repo: null, accepted: null, group: 'repository', page: 1 } as const;

describe('attack paths', () => {
  it('are in groups, those with the most critical paths first, then the largest', () => {
    const groups = groupPaths(listOf({ small: 1, large: 9, BAD: 2 }), ALL);
    expect(groups.map(({ title, total }) => [title, total])).toEqual([
      ['BAD', 2],
      ['large', 9],
      ['small', 1],
    ]);
  });

  it('are each on one page, and a group that goes on keeps its number', () => {
    const groups = groupPaths(listOf({ a: PAGE_PATHS + 10, b: 30, c: 20 }), ALL);
    const pages = [1, 2, 3].map((page) => pageOfGroups(groups, page));
    expect(pages.map((page) => page.map(({ title, paths, total }) => [title, paths.length, total]))).toEqual([
      [['a', PAGE_PATHS, PAGE_PATHS + 10]],
      [
        ['a', 10, PAGE_PATHS + 10],
        ['b', 30, 30],
        ['c', 10, 20],
      ],
      [['c', 10, 20]],
    ]);
    const shown = pages.flat().flatMap(({ paths }) => paths.map(({ path }) => path.id));
    expect(new Set(shown).size).toBe(PAGE_PATHS + 60);
    expect(pageOfGroups(groups, 4)).toEqual([]);
  });
});
