import type { NotAssessedReason } from '#lib/facts/facts.ts';
import type { NotAssessed } from '#lib/scanner/engine/scan.ts';

export interface SearchedSlot {
  readonly any: readonly ({ readonly rule: string } | { readonly fact: string })[];
  readonly optional?: true;
}

export interface Searched {
  readonly slots: Readonly<Record<string, SearchedSlot>>;
}

/** Returns how completely a combination was searched for. Depends on configuration only, never on findings. */
export function searchOf(
  { slots }: Searched,
  missing: ReadonlyMap<string, NotAssessedReason>,
): { readonly status: 'searched' | 'partial' | 'blinded'; readonly by: readonly NotAssessed[] } {
  const blind: NotAssessed[] = [];
  const gaps: NotAssessed[] = [];
  for (const { any, optional } of Object.values(slots)) {
    if (optional === true) continue;
    const absent = any.flatMap((source) => {
      const reason = 'rule' in source ? missing.get(source.rule) : undefined;
      return 'rule' in source && reason !== undefined ? [{ ruleId: source.rule, reason }] : [];
    });
    gaps.push(...absent);
    if (absent.length === any.length) blind.push(...absent);
  }
  if (blind.length > 0) return { status: 'blinded', by: blind };
  return gaps.length > 0 ? { status: 'partial', by: gaps } : { status: 'searched', by: [] };
}
