import { z } from 'zod';
import { Count, Counts, Timestamp } from './common.ts';
import type { Shape } from './shape.ts';

const Score = z.int().min(0).max(100).meta({ description: '0 (worst) to 100' });

const Band = z.enum(['A', 'B', 'C', 'D', 'F']).meta({ description: 'A from 90, B from 80, C from 65, D from 50' });

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const ObservedRef = z.strictObject({
  ref: z.string().meta({ examples: ['refs/tags/v4.2.0'] }),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
});

const Refs = z.array(ObservedRef).meta({ description: 'Tags and branches observed at the commit' });

const Signal = z.strictObject({
  id: z.string(),
  family: z.enum(['static', 'metadata', 'tag', 'advisory']),
  state: z.enum(['present', 'absent', 'unknown']),
  n: z.int().optional().meta({ description: 'Number of occurrences, if present' }),
  points: Count.meta({ description: 'Points deducted before the cap of its family' }),
  evidence: z.string().optional(),
  reason: z.string().optional().meta({ description: 'Why it is unknown' }),
});

const Breakdown = z
  .strictObject({ static: Count, metadata: Count, tag: Count, advisory: Count })
  .meta({ description: 'Points deducted per family, after its cap. The score is 100 minus their sum, at least 0' });

export const ActionSort = z.enum(['score', 'name', 'stars', 'scored_at']);

export const ActionRow = z
  .strictObject({
    owner: z.string(),
    name: z.string(),
    score: Score,
    band: Band,
    sha: Commit,
    refs: Refs,
    stars: Count.nullable(),
    archived: z.boolean(),
    description: z.string().nullable(),
    scored_at: Timestamp,
    finding_counts: Counts,
  })
  .meta({ id: 'ScoredAction' });

export const ActionPage = z.strictObject({ actions: z.array(ActionRow), total: Count });

export const ActionDetail = z
  .strictObject({
    owner: z.string(),
    name: z.string(),
    repository: z.strictObject({
      url: z.string().nullable(),
      description: z.string().nullable(),
      stars: Count.nullable(),
      archived: z.boolean(),
    }),
    status: z.enum(['scored', 'pending', 'unknown']).meta({
      description: 'pending: waiting to be scored; unknown: in the catalog, but never scored',
    }),
    stale_since: Timestamp.nullable().meta({ description: 'Time since which scoring it again has failed' }),
    latest: z
      .strictObject({
        sha: Commit,
        score: Score,
        score_floor: Score.meta({ description: 'The score if every unknown signal were present' }),
        band: Band,
        coverage: z
          .number()
          .min(0)
          .max(1)
          .meta({ description: 'Share of all points that known signals account for, 0 to 1' }),
        provisional: z.boolean().meta({ description: 'True if too little is known for a final score' }),
        hard_block: z.array(z.string()).meta({ description: 'Signals that block the action regardless of its score' }),
        signals: z.array(Signal),
        breakdown: Breakdown,
        finding_counts: Counts,
        algorithm_version: z.string(),
        scored_at: Timestamp,
      })
      .nullable(),
    versions: z
      .array(
        z.strictObject({
          sha: Commit,
          refs: Refs,
          score: Score,
          band: Band,
          algorithm_version: z.string(),
          scored_at: Timestamp,
          first_seen_at: Timestamp,
        }),
      )
      .meta({ description: 'The latest 200 evaluations, newest first' }),
  })
  .meta({ id: 'ActionDetail' });

export const RankedAction = z
  .strictObject({
    owner: z.string(),
    name: z.string(),
    score: Score,
    band: Band,
    sha: Commit,
    scored_at: Timestamp,
    used_by_repos: Count.meta({ description: 'Repositories of your organizations, or of `org`, that use the action' }),
    finding_counts: Counts,
  })
  .meta({ id: 'RankedAction' });

/** A move of a tag. `refined`: a longer tag begins with it. `back`: it named `to` before. */
const TagMove = z.strictObject({
  tag: z.string(),
  from: Commit,
  to: Commit,
  at: Timestamp,
  refined: z.boolean(),
  back: z.boolean(),
});

const NamedTagMove = TagMove.extend({ owner: z.string(), name: z.string() });

const ListedActions = z.strictObject({
  actions: z.array(ActionRow.extend({ provisional: z.boolean() })),
  bands: z.partialRecord(Band, Count),
});

export type ActionSort = z.infer<typeof ActionSort>;
export type ActionDetail = Shape<typeof ActionDetail>;
export type RankedAction = Shape<typeof RankedAction>;
export type StoredSignal = Shape<typeof Signal>;
export type Band = z.infer<typeof Band>;
export type TagMove = Shape<typeof TagMove>;
export type NamedTagMove = Shape<typeof NamedTagMove>;
export type ListedActions = Shape<typeof ListedActions>;
