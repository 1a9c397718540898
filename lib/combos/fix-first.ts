import { compareText } from '#lib/workflow/text/compare-text.ts';
import { type AttackPath, comboSeverityRank } from './match.ts';

export interface FirstFix {
  readonly fingerprint: string;
  readonly ruleId: string;
  readonly breaks: number;
}

const MAX_EXACT = 12;

/**
 * Returns the smallest set of findings whose fixes end all paths of one repository, most useful first. A path ends when
 * all findings of one of its cuts are fixed. Above MAX_EXACT cuts the choice is greedy.
 */
export function fixFirst(paths: readonly AttackPath[]): FirstFix[] {
  const open = paths.filter(({ cuts }) => cuts.length > 0);
  const cuts = distinctCuts(open);
  const chosen = cuts.length <= MAX_EXACT ? exactly(cuts, open.length) : greedily(cuts, open.length);
  return rank(open, cuts, chosen);
}

interface Cut {
  readonly fingerprints: readonly string[];
  readonly ends: ReadonlySet<number>;
  readonly named: number;
  readonly key: string;
}

function distinctCuts(paths: readonly AttackPath[]): Cut[] {
  const found = new Map<string, { fingerprints: readonly string[]; ends: Set<number>; named: number; key: string }>();
  for (const [index, path] of paths.entries()) {
    for (const [order, fingerprints] of path.cuts.entries()) {
      const key = fingerprints.join(' ');
      let cut = found.get(key);
      if (cut === undefined) found.set(key, (cut = { fingerprints, ends: new Set(), named: 0, key }));
      cut.ends.add(index);
      if (order === 0) cut.named += 1;
    }
  }
  // A cut also ends the paths of every cut that it contains.
  const all = [...found.values()].sort((a, b) => compareText(a.key, b.key));
  const byFirst = new Map<string, typeof all>();
  for (const cut of all) {
    const first = cut.fingerprints[0] ?? '';
    const list = byFirst.get(first);
    if (list === undefined) byFirst.set(first, [cut]);
    else list.push(cut);
  }
  for (const cut of all) {
    if (cut.fingerprints.length === 1) continue;
    const own = new Set(cut.fingerprints);
    for (const smaller of cut.fingerprints.flatMap((fingerprint) => byFirst.get(fingerprint) ?? [])) {
      if (smaller === cut || smaller.fingerprints.length > own.size) continue;
      if (smaller.fingerprints.every((fingerprint) => own.has(fingerprint))) {
        for (const end of smaller.ends) cut.ends.add(end);
      }
    }
  }
  return all;
}

function exactly(cuts: readonly Cut[], count: number): Cut[] {
  let best: { readonly chosen: Cut[]; readonly size: number; readonly named: number } | undefined;
  for (let mask = 0; mask < 2 ** cuts.length; mask += 1) {
    const chosen = cuts.filter((_, index) => Math.floor(mask / 2 ** index) % 2 === 1);
    const ends = new Set(chosen.flatMap((cut) => [...cut.ends]));
    if (ends.size < count) continue;
    const size = new Set(chosen.flatMap(({ fingerprints }) => fingerprints)).size;
    const named = chosen.reduce((sum, cut) => sum + cut.named, 0);
    if (best === undefined || size < best.size || (size === best.size && named > best.named)) {
      best = { chosen, size, named };
    }
  }
  return best?.chosen ?? [];
}

function greedily(cuts: readonly Cut[], count: number): Cut[] {
  const ended = new Set<number>();
  const fixed = new Set<string>();
  const chosen: Cut[] = [];
  while (ended.size < count) {
    let best: { readonly cut: Cut; readonly worth: number; readonly named: number } | undefined;
    for (const cut of cuts) {
      let more = 0;
      for (const end of cut.ends) if (!ended.has(end)) more += 1;
      if (more === 0) continue;
      const cost = cut.fingerprints.filter((fingerprint) => !fixed.has(fingerprint)).length;
      const worth = more / Math.max(cost, 1e-9);
      if (best === undefined || worth > best.worth || (worth === best.worth && cut.named > best.named)) {
        best = { cut, worth, named: cut.named };
      }
    }
    if (best === undefined) break;
    chosen.push(best.cut);
    for (const end of best.cut.ends) ended.add(end);
    for (const fingerprint of best.cut.fingerprints) fixed.add(fingerprint);
  }
  return chosen;
}

function rank(paths: readonly AttackPath[], cuts: readonly Cut[], chosen: readonly Cut[]): FirstFix[] {
  const fixed = new Set(chosen.flatMap(({ fingerprints }) => fingerprints));
  const ends = new Map<string, Set<number>>();
  for (const cut of cuts) {
    if (!cut.fingerprints.every((fingerprint) => fixed.has(fingerprint))) continue;
    for (const fingerprint of cut.fingerprints) {
      const known = ends.get(fingerprint) ?? new Set();
      for (const end of cut.ends) known.add(end);
      ends.set(fingerprint, known);
    }
  }
  const rules = new Map(
    paths.flatMap(({ components }) => components.map(({ fingerprint, ruleId }) => [fingerprint, ruleId] as const)),
  );
  const worst = (fingerprint: string): number =>
    Math.min(
      ...[...(ends.get(fingerprint) ?? [])].map((index) => comboSeverityRank(paths[index]?.severity ?? 'MEDIUM')),
    );
  return [...fixed]
    .map((fingerprint) => ({
      fingerprint,
      ruleId: rules.get(fingerprint) ?? '',
      breaks: ends.get(fingerprint)?.size ?? 0,
    }))
    .sort(
      (a, b) =>
        b.breaks - a.breaks ||
        worst(a.fingerprint) - worst(b.fingerprint) ||
        compareText(a.ruleId, b.ruleId) ||
        compareText(a.fingerprint, b.fingerprint),
    );
}

/** Like {@link fixFirst} over several repositories, whose findings never end each other's paths. */
export function fixFirstOf<Id extends string>(
  repositories: readonly { readonly id: Id; readonly paths: readonly AttackPath[] }[],
): (FirstFix & { readonly repository: Id })[] {
  return repositories
    .flatMap(({ id, paths }) => fixFirst(paths).map((fix) => ({ ...fix, repository: id })))
    .sort(
      (a, b) =>
        b.breaks - a.breaks || compareText(a.repository, b.repository) || compareText(a.fingerprint, b.fingerprint),
    );
}
