import type { CollectedFacts } from './facts.ts';
import type { FamilyId, Reading, SignalDefinition } from './signal.ts';

/** Facts that differ from those of a flawless action, with the number of occurrences or the reason expected. */
export interface SignalExamples {
  readonly present: readonly (readonly [n: number, facts: Partial<CollectedFacts>])[];
  readonly absent: readonly Partial<CollectedFacts>[];
  readonly unknown?: readonly Partial<CollectedFacts>[];
}

export type FamilySignal<Subject> = SignalDefinition<Subject> & { readonly examples: SignalExamples };

export interface Family {
  readonly id: FamilyId;
  /** The most points that the family costs together. */
  readonly cap: number;
  readonly signals: readonly FamilySignal<never>[];
  readonly read: (facts: CollectedFacts) => ReadonlyMap<string, Reading>;
}

/** A family whose signals all read what `prepare` makes of the facts. */
export function defineFamily<Subject>(family: {
  readonly id: FamilyId;
  readonly cap: number;
  readonly prepare: (facts: CollectedFacts) => Subject;
  readonly signals: readonly FamilySignal<Subject>[];
}): Family {
  const { id, cap, prepare, signals } = family;
  return {
    id,
    cap,
    signals,
    read: (facts) => {
      const subject = prepare(facts);
      return new Map(signals.map((signal) => [signal.id, signal.read(subject)]));
    },
  };
}
