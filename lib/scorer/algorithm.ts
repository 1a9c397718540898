import { ADVISORY_FAMILY } from './families/advisory.ts';
import { METADATA_FAMILY } from './families/metadata.ts';
import { STATIC_FAMILY } from './families/static.ts';
import { TAG_FAMILY } from './families/tag.ts';
import type { FamilyId, ScoredSignal } from './signal.ts';

export interface ScoredFamily {
  readonly cap: number;
  readonly signals: readonly ScoredSignal[];
}

export interface Algorithm {
  readonly families: Readonly<Record<FamilyId, ScoredFamily>>;
}

export const ALGORITHM_VERSION = '1.0.0';

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  [
    ALGORITHM_VERSION,
    {
      families: {
        static: STATIC_FAMILY,
        metadata: METADATA_FAMILY,
        tag: TAG_FAMILY,
        advisory: ADVISORY_FAMILY,
      },
    },
  ],
]);

/** The tables of a version. Throws for a version that this release does not have. */
export function algorithmOf(version: string): Algorithm {
  const algorithm = ALGORITHMS.get(version);
  if (algorithm === undefined) throw new RangeError(`There is no scoring algorithm ${version}.`);
  return algorithm;
}
