import { combos } from '#lib/combos/combos/index.ts';
import type { PathKind } from './effect.ts';

/** Returns what each kind of attack path requires, without its optional conditions. */
export function listPathKinds(): readonly PathKind[] {
  return combos.map(({ id, title, slots }) => ({
    id,
    title,
    slots: Object.fromEntries(
      Object.entries(slots).flatMap(([name, { any, optional }]) =>
        optional === true
          ? []
          : [[name, { any: any.map((source) => ('rule' in source ? { rule: source.rule } : { fact: source.fact })) }]],
      ),
    ),
  }));
}
