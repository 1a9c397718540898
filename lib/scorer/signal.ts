export const FAMILIES = ['static', 'metadata', 'tag', 'advisory'] as const;
export type FamilyId = (typeof FAMILIES)[number];

/**
 * Why a signal is unknown. `too_large` and `not_supported` are limits of this reader; the others come from the source.
 */
export const UNKNOWN_REASONS = [
  'forbidden',
  'rate_limited',
  'fetch_failed',
  'no_history',
  'not_supported',
  'too_large',
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

const OUTAGES: ReadonlySet<UnknownReason> = new Set(['forbidden', 'rate_limited', 'fetch_failed']);

export function isOutage(reason: UnknownReason): boolean {
  return OUTAGES.has(reason);
}

export type Fetched<T> = { readonly value: T } | { readonly unknown: UnknownReason };

export type Reading =
  | { readonly state: 'present'; readonly n: number; readonly evidence: string }
  | { readonly state: 'absent'; readonly evidence?: string }
  | { readonly state: 'unknown'; readonly reason: UnknownReason; readonly evidence?: string };

export type Signal = { readonly id: string } & Reading;

export type Points = readonly [first: number, next: number, max: number];

/**
 * Only the most expensive present signal of a `group` counts. `blocks`: the action is blocked whatever its score.
 * `essential`: unless it is known, `advisoriesKnown` is false.
 */
export interface ScoredSignal {
  readonly id: string;
  readonly points: Points;
  readonly group?: string;
  readonly blocks?: true;
  readonly essential?: true;
}

export interface SignalDefinition<Subject> extends ScoredSignal {
  readonly means: string;
  readonly read: (subject: Subject) => Reading;
}

export const ABSENT: Reading = { state: 'absent' };

export function present(n: number, evidence: string): Reading {
  return { state: 'present', n, evidence };
}

export function unknown(reason: UnknownReason, evidence?: string): Reading {
  return evidence === undefined ? { state: 'unknown', reason } : { state: 'unknown', reason, evidence };
}

export function reading<T>(fetched: Fetched<T>, read: (value: T) => Reading): Reading {
  return 'value' in fetched ? read(fetched.value) : unknown(fetched.unknown);
}

export function outageOf<T>(fetched: Fetched<T>): UnknownReason | undefined {
  return 'unknown' in fetched && isOutage(fetched.unknown) ? fetched.unknown : undefined;
}

export function presentIf(condition: boolean, evidence: string): Reading {
  return condition ? present(1, evidence) : ABSENT;
}

export function presentFor(items: readonly string[], sentence: (listed: string) => string): Reading {
  return items.length === 0 ? ABSENT : present(items.length, sentence(listed(items)));
}

const MAX_LISTED = 3;
const MAX_ITEM = 160;

export function listed(items: readonly string[]): string {
  const shown = items
    .slice(0, MAX_LISTED)
    .map((item) => (item.length > MAX_ITEM ? `${item.slice(0, MAX_ITEM)}…` : item));
  return items.length > MAX_LISTED ? `${shown.join(', ')} and ${items.length - MAX_LISTED} more` : shown.join(', ');
}

export function pointsFor([first, next, max]: Points, n: number): number {
  return n < 1 ? 0 : Math.min(max, first + next * (n - 1));
}
