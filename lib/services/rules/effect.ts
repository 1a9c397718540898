import { type Searched, searchOf } from '#lib/combos/search.ts';

export interface PathKind extends Searched {
  readonly id: string;
  readonly title: string;
}

export interface JudgedRepository {
  readonly id: string;
  readonly notAssessed: readonly string[];
  readonly offBefore: ReadonlySet<string>;
  readonly offAfter: ReadonlySet<string>;
}

export interface KnownPath {
  readonly kind: string;
  readonly repoId: string;
  readonly rules: readonly string[];
}

export interface RuleEffect {
  readonly paths: number;
  readonly kinds: readonly string[];
  readonly repositories: number;
}

/** Computes what switching rules off takes away: attack paths, and the ability to search for kinds of them. */
export function effectOf(
  kinds: readonly PathKind[],
  repositories: readonly JudgedRepository[],
  paths: readonly KnownPath[],
): RuleEffect {
  const changed = repositories.filter(({ offBefore, offAfter }) => [...offAfter].some((rule) => !offBefore.has(rule)));
  const offIn = new Map(changed.map(({ id, offAfter }) => [id, offAfter]));
  const byId = new Map(kinds.map((kind) => [kind.id, kind]));
  const ended = paths.filter(({ kind, repoId, rules }) => {
    const off = offIn.get(repoId);
    const slots = Object.values(byId.get(kind)?.slots ?? {});
    return (
      off !== undefined &&
      slots.some(({ any }) => {
        const filledBy = rules.filter((rule) => any.some((source) => 'rule' in source && source.rule === rule));
        return filledBy.length > 0 && filledBy.every((rule) => off.has(rule));
      })
    );
  });
  const lost = new Map<string, readonly PathKind[]>();
  const blinded = changed.map(({ notAssessed, offBefore, offAfter }) => {
    const before = [...notAssessed, ...offBefore].sort();
    const after = [...notAssessed, ...offAfter].sort();
    const key = `${before.join(' ')}\n${after.join(' ')}`;
    const known = lost.get(key) ?? kinds.filter((kind) => isBlind(kind, after) && !isBlind(kind, before));
    lost.set(key, known);
    return known;
  });
  return {
    paths: ended.length,
    kinds: [...new Set(blinded.flat())].map(({ title }) => title),
    repositories: blinded.filter((list) => list.length > 0).length,
  };
}

function isBlind(kind: PathKind, missing: readonly string[]): boolean {
  return searchOf(kind, new Map(missing.map((rule) => [rule, 'disabled']))).status === 'blinded';
}
