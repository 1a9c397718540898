import type { TagMove } from '#lib/db/shapes/actions.ts';
import { TagKinds } from '#lib/scorer/tag/ref-kinds.ts';
import { bounded } from './bounded.ts';

export interface ShownMove {
  readonly tags: readonly string[];
  readonly count: number;
  readonly from: string | null;
  readonly to: string;
  readonly at: string;
  readonly back: boolean;
}

const MAX_TAGS = 3;

/** Returns moves of release tags, joining those of one day to one commit. Tags that are meant to move are left out. */
export function groupMoves<Move extends TagMove>(
  moves: readonly Move[],
  actionOf: (move: Move) => string = () => '',
): readonly (ShownMove & { readonly first: Move })[] {
  const groups = new Map<string, Move[]>();
  for (const move of moves) {
    const kinds = new TagKinds(move.refined ? [move.tag, `${move.tag}.0`] : [move.tag]);
    if (kinds.kindOf(move.tag) !== 'exact') continue;
    const key = [actionOf(move), move.to, move.back, move.at.slice(0, 10)].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), move]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { to, at, back } = first;
    const from = group.every((move) => move.from === first.from) ? first.from : null;
    const tags = group.slice(0, MAX_TAGS).map(({ tag }) => bounded(tag, 60));
    return [{ tags, count: group.length, from, to, at, back, first }];
  });
}
