import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { CollectedFacts, RefObservation } from '../facts.ts';
import type { Fetched } from '../signal.ts';
import { DAY, HOUR, timeOf } from '../time.ts';
import { distinctNames, TagKinds } from './ref-kinds.ts';

export interface TagMove {
  readonly tag: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly restored: boolean;
  /** True for a publisher's correction: forward on the default branch within an hour of the tag's creation. */
  readonly early: boolean;
}

/**
 * `moves` is unknown if observations are missing or cover less than a day. `deleted` are exact tags that existed for at
 * least a day.
 */
export interface TagHistory {
  readonly kinds: TagKinds;
  readonly moves: Fetched<readonly TagMove[]>;
  readonly deleted: readonly string[];
  readonly exactTags: readonly string[];
}

const TAG = 'refs/tags/';
const CORRECTION = HOUR;

export function tagHistoryOf({ refs, observations, action, asOf }: CollectedFacts): TagHistory {
  const tags = 'value' in refs ? refs.value.tags : [];
  const seen = 'value' in observations ? observations.value.filter((each) => usable(each, asOf)) : [];
  const byTag = new Map<string, RefObservation[]>();
  for (const each of seen) {
    if (!each.ref.startsWith(TAG)) continue;
    const tag = each.ref.slice(TAG.length);
    byTag.set(tag, [...(byTag.get(tag) ?? []), each]);
  }
  const now = new Map(tags.map(({ name, commit }) => [name, commit]));
  const kinds = new TagKinds([...now.keys(), ...byTag.keys()]);
  const exact = (tag: string): boolean => kinds.kindOf(tag) === 'exact';
  const moves: TagMove[] = [];
  const deleted: string[] = [];
  for (const [tag, own] of [...byTag].sort(([a], [b]) => compareText(a, b))) {
    if (!exact(tag)) continue;
    moves.push(...movesOf(tag, own, now.get(tag), asOf));
    const lasted = own.some(({ firstSeen, lastSeen }) => timeOf(lastSeen) - timeOf(firstSeen) >= DAY);
    if ('value' in refs && !now.has(tag) && lasted) deleted.push(tag);
  }
  const reachesBack = seen.some(({ firstSeen }) => timeOf(asOf) - timeOf(firstSeen) >= DAY);
  return {
    kinds,
    moves: 'unknown' in observations ? observations : reachesBack ? { value: moves } : { unknown: 'no_history' },
    deleted,
    exactTags: distinctNames(
      tags.flatMap(({ name, commit }) => (commit === action.commit && exact(name) ? [name] : [])),
    ),
  };
}

function usable({ firstSeen, lastSeen }: RefObservation, asOf: string): boolean {
  return timeOf(firstSeen) <= timeOf(asOf) && !Number.isNaN(timeOf(lastSeen));
}

function movesOf(tag: string, seen: readonly RefObservation[], current: string | undefined, asOf: string): TagMove[] {
  const ordered = [...seen].sort(
    (a, b) => timeOf(a.firstSeen) - timeOf(b.firstSeen) || compareText(a.commit, b.commit),
  );
  const last = ordered.at(-1);
  const [first] = ordered;
  if (first === undefined || last === undefined) return [];
  const stretches = ordered.map(({ commit, firstSeen }) => ({ commit, at: firstSeen }));
  if (current !== undefined && current !== last.commit) stretches.push({ commit: current, at: asOf });
  const ancestors = new Set(seen.flatMap(({ commit, onDefaultBranch }) => (onDefaultBranch === true ? [commit] : [])));
  const before = new Set([first.commit]);
  const moves: TagMove[] = [];
  for (const [index, { commit, at }] of stretches.entries()) {
    const from = stretches[index - 1]?.commit;
    if (from === undefined || from === commit) continue;
    const early = timeOf(at) - timeOf(first.firstSeen) <= CORRECTION && ancestors.has(from);
    moves.push({ tag, from, to: commit, at, restored: before.has(commit), early });
    before.add(commit);
  }
  return moves;
}

export function massMoveTo(commit: string, moves: readonly TagMove[]): readonly string[] {
  const all = moves
    .filter(({ restored, early }) => !restored && !early)
    .sort((a, b) => timeOf(a.at) - timeOf(b.at) || compareText(a.tag, b.tag));
  let best: readonly string[] = [];
  let start = 0;
  for (let end = 0; end < all.length; end += 1) {
    while (timeOf(all[end]?.at ?? '') - timeOf(all[start]?.at ?? '') > DAY) start += 1;
    if (end - start + 1 <= best.length) continue;
    const window = all.slice(start, end + 1);
    if (window.some(({ to }) => to === commit)) best = distinctNames(window.map(({ tag }) => tag));
  }
  return best;
}
