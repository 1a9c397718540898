import type { CollectedFacts } from './facts.ts';
import type { FamilyId, Reading, SignalDefinition } from './signal.ts';

export interface SignalExamples {
  readonly present: readonly (readonly [n: number, facts: Partial<CollectedFacts>])[];
  readonly absent: readonly Partial<CollectedFacts>[];
  readonly unknown?: readonly Partial<CollectedFacts>[];
}

export type FamilySignal<Subject> = SignalDefinition<Subject> & { readonly examples: SignalExamples };

export interface Family {
  readonly id: FamilyId;
  readonly cap: number;
  readonly signals: readonly FamilySignal<never>[];
  readonly read: (facts: CollectedFacts) => ReadonlyMap<string, Reading>;
}

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
