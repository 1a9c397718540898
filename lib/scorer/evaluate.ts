import { ALGORITHM_VERSION } from './algorithm.ts';
import type { CollectedFacts } from './facts.ts';
import { ADVISORY_FAMILY } from './families/advisory.ts';
import { METADATA_FAMILY } from './families/metadata.ts';
import { STATIC_FAMILY } from './families/static.ts';
import { TAG_FAMILY } from './families/tag.ts';
import { type Evaluation, score } from './score.ts';
import { isOutage, type Signal, type UnknownReason } from './signal.ts';

export const FAMILIES_OF_SIGNALS = [STATIC_FAMILY, METADATA_FAMILY, TAG_FAMILY, ADVISORY_FAMILY];

const REQUIRED = ['tree', 'refs'] as const;

export type Attempt =
  | { readonly evaluation: Evaluation }
  | { readonly missing: readonly { readonly source: (typeof REQUIRED)[number]; readonly reason: UnknownReason }[] };

/**
 * Evaluates an action at a commit. If a source fails, its readings in `previous` are kept, so that an outage changes no
 * score.
 */
export function evaluate(facts: CollectedFacts, previous: readonly Signal[] = []): Attempt {
  const missing = REQUIRED.flatMap((source) => {
    const fetched = facts[source];
    return 'value' in fetched ? [] : [{ source, reason: fetched.unknown }];
  });
  if (missing.length > 0) return { missing };
  return { evaluation: score(carryOver(readSignals(facts), previous), ALGORITHM_VERSION) };
}

export function readSignals(facts: CollectedFacts): Signal[] {
  return FAMILIES_OF_SIGNALS.flatMap((family) =>
    [...family.read(facts)].map(([id, reading]): Signal => ({ id, ...reading })),
  );
}

export function carryOver(signals: readonly Signal[], previous: readonly Signal[]): Signal[] {
  const known = new Map(
    previous.flatMap((signal) => (signal.state === 'unknown' ? [] : [[signal.id, signal] as const])),
  );
  return signals.map((signal) =>
    signal.state === 'unknown' && isOutage(signal.reason) ? (known.get(signal.id) ?? signal) : signal,
  );
}
