import { parseVersion } from '#lib/workflow/model/versions.ts';
import type { CollectedFacts, RefObservation, Refs, Release } from '../facts.ts';
import { defineFamily } from '../family.ts';
import { ABSENT, listed, outageOf, present, presentFor, presentIf, type Reading, reading, unknown } from '../signal.ts';
import { massMoveTo, type TagHistory, type TagMove, tagHistoryOf } from '../tag/moves.ts';
import { distinctNames } from '../tag/ref-kinds.ts';
import { ageOf, DAY, dayOf, timeOf } from '../time.ts';

interface Subject {
  readonly facts: CollectedFacts;
  readonly history: TagHistory;
}

/** This many exact tags moved within a day are a mass move; in a small repository, a fifth of them is enough. */
const MASS = 5;
const MASS_IN_SMALL = 3;
const MASS_SHARE = 5;
/** This many minor versions on one commit are suspicious. In 242 repositories with 97,525 tags, the most was two. */
const MINORS_ON_ONE_COMMIT = 4;
const RECENT = 90 * DAY;
const FRESH = 7 * DAY;

const NOW = '2026-01-15T00:00:00Z';
const THIS = 'a'.repeat(40);
const OLD = 'b'.repeat(40);
const NEW = 'c'.repeat(40);

function seen(
  tag: string,
  commit: string,
  firstSeen: string,
  lastSeen: string,
  onDefaultBranch = false,
): RefObservation {
  return { ref: `refs/tags/${tag}`, commit, firstSeen, lastSeen, onDefaultBranch };
}

function moved(tag: string, from: string, to: string, at: string): RefObservation[] {
  return [seen(tag, from, '2025-06-01T00:00:00Z', at), seen(tag, to, at, NOW)];
}

function world(
  tags: Readonly<Record<string, string>>,
  observations: readonly RefObservation[],
  branches: Readonly<Record<string, string>> = { main: THIS },
): Partial<CollectedFacts> {
  const list = (refs: Readonly<Record<string, string>>): Refs['tags'] =>
    Object.entries(refs).map(([name, commit]) => ({ name, commit }));
  return {
    asOf: NOW,
    refs: { value: { tags: list(tags), branches: list(branches) } },
    observations: { value: observations },
  };
}

const FIVE = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0', 'v1.4.0'];
const all = (names: readonly string[], commit: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, commit]));
const hijack = (names: readonly string[], to: (index: number) => string): Partial<CollectedFacts> =>
  world(
    Object.fromEntries(names.map((name, index) => [name, to(index)])),
    names.flatMap((name, index) => moved(name, OLD, to(index), `2026-01-14T0${index}:00:00Z`)),
  );
const released = (...releases: readonly Partial<Release>[]): Partial<CollectedFacts> => ({
  releases: {
    value: releases.map((each, index) => ({
      tag: `v1.0.${index}`,
      immutable: false,
      draft: false,
      publishedAt: `2025-0${index + 1}-01T00:00:00Z`,
      ...each,
    })),
  },
});

export const TAG_FAMILY = defineFamily<Subject>({
  id: 'tag',
  cap: 40,
  prepare: (facts) => ({ facts, history: tagHistoryOf(facts) }),
  signals: [
    {
      id: 'mass-retag',
      points: [40, 0, 40],
      blocks: true,
      means:
        'Many release tags were moved within a day, or releases of several versions point to one commit, as in a hijack.',
      read: massRetag,
      examples: {
        present: [
          [1, hijack(FIVE, () => THIS)],
          [1, hijack(FIVE, (index) => (index === 2 ? THIS : `${index}`.repeat(40)))],
          [1, hijack(FIVE.slice(0, 3), () => THIS)],
          [1, { ...world(all(FIVE, THIS), []), observations: { unknown: 'no_history' } }],
        ],
        absent: [
          world(
            all(FIVE, OLD),
            FIVE.flatMap((tag) => moved(tag, NEW, OLD, '2026-01-14T00:00:00Z')),
          ),
          hijack(['v1.0.0', 'v1.1.0'], () => THIS),
          world(
            all(['v1', 'v1.0', 'v1.0.0', 'latest'], THIS),
            ['v1', 'v2', 'v3', 'v4', 'latest'].flatMap((tag) => moved(tag, OLD, THIS, '2026-01-14T00:00:00Z')),
          ),
          world(all(['a/v1.0.0', 'b/v2.0.0', 'c/v3.0.0', 'd/v4.0.0'], THIS), [
            seen('a/v1.0.0', THIS, '2025-06-01T00:00:00Z', NOW),
          ]),
        ],
        unknown: [
          { observations: { unknown: 'no_history' } },
          world({ 'v1.0.0': THIS }, [seen('v1.0.0', THIS, '2026-01-14T12:00:00Z', NOW)]),
          { refs: { unknown: 'fetch_failed' }, observations: { value: [] } },
        ],
      },
    },
    {
      id: 'exact-tag-moved',
      points: [25, 5, 40],
      means: 'A release tag was moved to this commit from another one.',
      read: ({ facts, history }) =>
        orUnread(
          facts,
          movedHere(facts, history, ({ early }) => !early),
        ),
      examples: {
        present: [
          [1, world({ 'v1.0.0': THIS }, moved('v1.0.0', OLD, THIS, '2025-08-01T00:00:00Z'))],
          [1, world({ 'v1.0.0': THIS }, [seen('v1.0.0', OLD, '2025-06-01T00:00:00Z', '2025-07-01T00:00:00Z')])],
          [
            2,
            world({ 'v1.0.0': THIS, 'v1.1': THIS }, [
              ...moved('v1.0.0', OLD, THIS, '2025-08-01T00:00:00Z'),
              ...moved('v1.1', OLD, THIS, '2025-09-01T00:00:00Z'),
            ]),
          ],
        ],
        absent: [
          world({ v1: THIS, 'v1.0.0': THIS }, [
            ...moved('v1', OLD, THIS, '2025-08-01T00:00:00Z'),
            seen('v1.0.0', THIS, '2025-06-01T00:00:00Z', NOW),
          ]),
          world({ 'v1.0.0': THIS }, [
            seen('v1.0.0', THIS, '2025-06-01T00:00:00Z', '2025-11-01T00:00:00Z'),
            seen('v1.0.0', NEW, '2025-11-01T00:00:00Z', '2025-11-02T00:00:00Z'),
            seen('v1.0.0', THIS, '2025-11-02T00:00:00Z', NOW),
          ]),
          world({ 'v1.0.0': NEW }, moved('v1.0.0', THIS, NEW, '2025-08-01T00:00:00Z')),
        ],
        unknown: [
          { observations: { unknown: 'no_history' } },
          { observations: { value: [] } },
          partly(world({ 'v1.0.0': NEW }, [seen('v1.0.0', NEW, '2025-06-01T00:00:00Z', NOW)])),
        ],
      },
    },
    {
      id: 'exact-tag-moved-early',
      points: [5, 0, 5],
      means: 'A release tag was moved to this commit within an hour of its creation, forward on the default branch.',
      read: ({ facts, history }) => movedHere(facts, history, ({ early }) => early),
      examples: {
        present: [[1, correction('2025-06-01T01:00:00Z', true)]],
        absent: [correction('2025-06-01T01:01:00Z', true), correction('2025-06-01T00:30:00Z', false)],
        unknown: [{ observations: { unknown: 'no_history' } }],
      },
    },
    {
      id: 'recent-drift-in-repo',
      points: [8, 0, 8],
      means: 'Another release tag of the repository moved in the last 90 days.',
      read: ({ facts: { action, asOf, refs }, history }) =>
        moves(history, (list) => {
          const others = list.filter(
            ({ at, to, early, restored }) => !early && ageOf(at, asOf) <= RECENT && (to !== action.commit || restored),
          );
          const tags = distinctNames(others.map(({ tag }) => tag));
          if (tags.length === 0 && isPartial(refs)) return unknown('too_large', 'Older tags were not read.');
          return presentIf(tags.length > 0, `Moved: ${listed(tags)}.`);
        }),
      examples: {
        present: [[1, world({ 'v1.0.0': THIS, 'v2.0.0': NEW }, moved('v2.0.0', OLD, NEW, '2025-10-17T00:00:00Z'))]],
        absent: [
          world({ 'v1.0.0': THIS, 'v2.0.0': NEW }, moved('v2.0.0', OLD, NEW, '2025-10-16T00:00:00Z')),
          world({ 'v1.0.0': THIS, v2: NEW }, moved('v2', OLD, NEW, '2026-01-01T00:00:00Z')),
        ],
        unknown: [
          { observations: { unknown: 'no_history' } },
          partly(world({ 'v1.0.0': THIS }, [seen('v1.0.0', THIS, '2025-06-01T00:00:00Z', NOW)])),
        ],
      },
    },
    {
      id: 'unreachable-commit',
      points: [30, 0, 30],
      group: 'reachability',
      blocks: true,
      means: 'No branch or tag of the repository contains the commit, so it may come from a fork.',
      read: ({ facts: { reachability, refs } }) =>
        reading(reachability, (from) => presentIf(from === 'none', `Searched: ${countOf(refs)}.`)),
      examples: {
        present: [[1, { reachability: { value: 'none' } }]],
        absent: [{ reachability: { value: 'tag' } }, { reachability: { value: 'branch' } }],
        unknown: [{ reachability: { unknown: 'rate_limited' } }],
      },
    },
    {
      id: 'tag-only-commit',
      points: [2, 0, 2],
      group: 'reachability',
      means: 'Only tags contain the commit, which is normal for publishers who build before tagging.',
      read: ({ facts: { reachability, refs, action } }) =>
        reading(reachability, (from) => presentIf(from === 'tag', tagsAt(refs, action.commit))),
      examples: {
        present: [[1, { reachability: { value: 'tag' } }]],
        absent: [{ reachability: { value: 'none' } }, { reachability: { value: 'branch' } }],
        unknown: [{ reachability: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'repo-identity-changed',
      points: [30, 0, 30],
      blocks: true,
      means: 'The name now belongs to a different repository or account, which may be a takeover.',
      read: ({ facts }) => identity(facts),
      examples: {
        present: [
          [1, { identities: { value: [witness({ repositoryId: 9 })] } }],
          [1, { identities: { value: [witness({ owner: 'ACTIONS', ownerId: 9 })] } }],
        ],
        absent: [
          { identities: { value: [witness({})] } },
          { identities: { value: [witness({ name: 'old-name', repositoryId: 9 })] } },
        ],
        unknown: [{ identities: { unknown: 'no_history' } }, { identities: { value: [] } }],
      },
    },
    {
      id: 'ref-shadowing',
      points: [10, 0, 10],
      means: 'A branch and a tag share a name that workflows use, so it is ambiguous which one runs.',
      read: ({ facts: { refs }, history }) =>
        reading(refs, ({ tags, branches }) => {
          const names = new Set(tags.map(({ name }) => name));
          const shared = branches.flatMap(({ name }) =>
            names.has(name) && history.kinds.kindOf(name) !== 'other' ? [name] : [],
          );
          return presentIf(shared.length > 0, `Branch and tag: ${distinctNames(shared).slice(0, 3).join(', ')}.`);
        }),
      examples: {
        present: [[1, world({ v1: THIS, 'v1.0.0': THIS }, [], { main: THIS, v1: OLD })]],
        absent: [world({ v1: THIS, nightly: THIS }, [], { main: THIS, nightly: OLD, v2: THIS })],
        unknown: [{ refs: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'no-exact-tags',
      points: [8, 0, 8],
      means: 'No tag names one release permanently, so there is no stable version to pin.',
      read: ({ facts: { refs }, history }) =>
        reading(refs, ({ tags }) =>
          presentIf(
            !tags.some(({ name }) => history.kinds.kindOf(name) === 'exact'),
            tags.length === 0
              ? 'There are no tags.'
              : `Its tags: ${listed(distinctNames(tags.map(({ name }) => name)))}.`,
          ),
        ),
      examples: {
        present: [
          [1, world({}, [])],
          [1, world({ v1: THIS, latest: THIS, nightly: THIS }, [])],
        ],
        absent: [world({ v1: THIS, 'v1.0': THIS }, []), world({ 'release-1.2.3': THIS }, [])],
        unknown: [{ refs: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'exact-tag-deleted',
      points: [8, 2, 12],
      means: 'A release tag was deleted.',
      read: ({ facts: { refs }, history }) =>
        reading(refs, ({ partial }) =>
          moves(history, () =>
            partial === true
              ? unknown('too_large', 'Older tags were not read.')
              : presentFor(history.deleted, (tags) => `Gone: ${tags}.`),
          ),
        ),
      examples: {
        present: [
          [1, world({ 'v1.0.0': THIS }, [seen('v0.9.0', OLD, '2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z')])],
        ],
        absent: [
          world({ 'v1.0.0': THIS }, [
            seen('v1', OLD, '2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z'),
            seen('v0.9.0', OLD, '2025-01-01T00:00:00Z', '2025-01-01T20:00:00Z'),
            seen('v1.0.0', THIS, '2025-01-01T00:00:00Z', NOW),
          ]),
        ],
        unknown: [
          { observations: { unknown: 'no_history' } },
          partly(world({ 'v1.0.0': THIS }, [seen('v0.9.0', OLD, '2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z')])),
        ],
      },
    },
    {
      id: 'no-immutable-release',
      points: [6, 0, 6],
      group: 'mutable-releases',
      means: 'No release is immutable, so an attacker with the account can move every tag.',
      read: (subject) =>
        releasesOf(subject, (list) =>
          presentIf(!list.some((each) => isImmutable(each, subject.history)), latestOf(list)),
        ),
      examples: {
        present: [
          [1, released()],
          [1, released({}, {})],
          [1, released({ immutable: true, draft: true })],
          [
            1,
            {
              ...world({ 'v1.0.0': THIS }, moved('v1.0.0', OLD, THIS, '2025-08-01T00:00:00Z')),
              ...released({ tag: 'v1.0.0', immutable: true }),
            },
          ],
        ],
        absent: [released({ immutable: true }, {})],
        unknown: [{ releases: { unknown: 'forbidden' } }],
      },
    },
    {
      id: 'latest-release-mutable',
      points: [3, 0, 3],
      group: 'mutable-releases',
      means: 'The latest release is not immutable, although others are.',
      read: (subject) =>
        releasesOf(subject, ([latest, ...others]) => {
          if (latest === undefined || isImmutable(latest, subject.history)) return ABSENT;
          const immutable = others.filter((each) => isImmutable(each, subject.history)).map(({ tag }) => tag);
          return presentIf(immutable.length > 0, `Latest: ${latest.tag}. Immutable: ${listed(immutable)}.`);
        }),
      examples: {
        present: [[1, released({ immutable: true }, {})]],
        absent: [released({}, { immutable: true }), released({}, {}), released()],
        unknown: [{ releases: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'unsigned-commit',
      points: [2, 0, 2],
      means: 'The commit has no signature that the code host could verify.',
      read: ({ facts: { signature, action } }) =>
        reading(signature, ({ verified }) =>
          presentIf(!verified, `${action.commit.slice(0, 7)} is unsigned, or its key or author does not match.`),
        ),
      examples: {
        present: [[1, { signature: { value: { verified: false } } }]],
        absent: [{ signature: { value: { verified: true } } }],
        unknown: [{ signature: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'fresh-7d',
      points: [3, 0, 3],
      means: 'The commit is less than a week old, so few people have reviewed it.',
      read: ({ facts, history }) => fresh(facts, history),
      examples: {
        present: [
          [
            1,
            {
              ...world({ 'v1.0.0': THIS }, [
                seen('v0.9.0', OLD, '2025-06-01T00:00:00Z', NOW),
                seen('v1.0.0', THIS, '2026-01-09T00:00:00Z', NOW),
              ]),
              releases: { value: [] },
            },
          ],
        ],
        absent: [
          world({ 'v1.0.0': THIS }, [seen('v1.0.0', THIS, '2026-01-08T00:00:00Z', NOW)]),
          { ...world({ 'v1.0.0': THIS }, []), ...released({ tag: 'v1.0.0', publishedAt: '2026-01-01T00:00:00Z' }) },
        ],
        unknown: [{ observations: { unknown: 'no_history' }, releases: { value: [] } }],
      },
    },
  ],
});

function countOf(refs: CollectedFacts['refs']): string {
  if (!('value' in refs)) return 'all that the code host lists';
  const { branches, tags } = refs.value;
  return [
    `${branches.length} ${branches.length === 1 ? 'branch' : 'branches'}`,
    `${tags.length} ${tags.length === 1 ? 'tag' : 'tags'}`,
  ].join(', ');
}

function tagsAt(refs: CollectedFacts['refs'], commit: string): string {
  const own = 'value' in refs ? refs.value.tags.filter((tag) => tag.commit === commit).map(({ name }) => name) : [];
  return own.length === 0 ? 'A later tag does.' : `Tagged ${listed(distinctNames(own))}.`;
}

function latestOf([latest, ...others]: readonly Release[]): string {
  if (latest === undefined) return 'There are no releases.';
  return others.length === 0 ? `Its only one: ${latest.tag}.` : `Latest of ${others.length + 1}: ${latest.tag}.`;
}

function correction(at: string, onDefaultBranch: boolean): Partial<CollectedFacts> {
  return world({ 'v1.0.0': THIS }, [
    seen('v1.0.0', OLD, '2025-06-01T00:00:00Z', at, onDefaultBranch),
    seen('v1.0.0', THIS, at, NOW),
  ]);
}

function witness(changes: Partial<{ owner: string; name: string; repositoryId: number; ownerId: number }>) {
  return { owner: 'actions', name: 'greet', repositoryId: 1, ownerId: 2, at: '2025-06-01T00:00:00Z', ...changes };
}

function partly(facts: Partial<CollectedFacts>): Partial<CollectedFacts> {
  return facts.refs !== undefined && 'value' in facts.refs
    ? { ...facts, refs: { value: { ...facts.refs.value, partial: true } } }
    : facts;
}

function isPartial(refs: CollectedFacts['refs']): boolean {
  return 'value' in refs && refs.value.partial === true;
}

/** Tags are read by the date of their commits, so those at one commit are all read or all left out. */
function orUnread({ refs, action }: CollectedFacts, found: Reading): Reading {
  const left = isPartial(refs) && 'value' in refs && !refs.value.tags.some(({ commit }) => commit === action.commit);
  return found.state === 'absent' && left ? unknown('too_large', 'Older tags were not read.') : found;
}

function moves({ moves: list }: TagHistory, read: (list: readonly TagMove[]) => Reading): Reading {
  return reading(list, read);
}

function massRetag({ facts, history }: Subject): Reading {
  const { action, refs } = facts;
  const byPrefix = new Map<string, Set<string>>();
  for (const tag of history.exactTags) {
    const exact = history.kinds.exact(tag);
    if (exact !== undefined) byPrefix.set(exact.prefix, (byPrefix.get(exact.prefix) ?? new Set()).add(exact.minor));
  }
  const minors = Math.max(0, ...[...byPrefix.values()].map(({ size }) => size));
  if (minors >= MINORS_ON_ONE_COMMIT) return present(1, `Releases of ${minors} minor versions point to this commit.`);
  return reading(refs, ({ tags }) =>
    moves(history, (list) => {
      const exact = tags.filter(({ name }) => history.kinds.kindOf(name) === 'exact').length;
      const together = massMoveTo(action.commit, list);
      const isMass =
        together.length >= MASS || (together.length >= MASS_IN_SMALL && together.length * MASS_SHARE >= exact);
      return orUnread(facts, presentIf(isMass, `Moved together: ${listed(together)}.`));
    }),
  );
}

function movedHere({ action }: CollectedFacts, history: TagHistory, wanted: (move: TagMove) => boolean): Reading {
  return moves(history, (list) => {
    const here = list.filter((move) => move.to === action.commit && !move.restored && wanted(move));
    const tags = distinctNames(here.map(({ tag }) => tag));
    return presentFor(tags, (names) => `Moved here from another commit: ${names}.`);
  });
}

function identity({ action, identities }: CollectedFacts): Reading {
  return reading(identities, (witnesses) => {
    if (witnesses.length === 0) return unknown('no_history');
    const name = `${action.owner}/${action.name}`.toLowerCase();
    const other = witnesses.find(
      (each) =>
        `${each.owner}/${each.name}`.toLowerCase() === name &&
        (each.repositoryId !== action.repositoryId || each.ownerId !== action.ownerId),
    );
    return other === undefined
      ? ABSENT
      : present(
          1,
          `On ${dayOf(other.at)}, the name belonged to another ${other.ownerId === action.ownerId ? 'repository' : 'account'}.`,
        );
  });
}

function published(releases: readonly Release[]): Release[] {
  const dated = releases.flatMap((each) => {
    const at = each.publishedAt === null ? Number.NaN : timeOf(each.publishedAt);
    return each.draft || Number.isNaN(at) ? [] : [{ each, at }];
  });
  return dated.sort((a, b) => b.at - a.at || (a.each.tag < b.each.tag ? -1 : 1)).map(({ each }) => each);
}

/** Immutability proves nothing about a tag that was moved before it was enabled. */
function isImmutable({ immutable, tag }: Release, { moves: list }: TagHistory): boolean {
  return immutable && !('value' in list && list.value.some((move) => move.tag === tag && !move.early));
}

function releasesOf({ facts: { releases }, history }: Subject, read: (list: readonly Release[]) => Reading): Reading {
  return reading(releases, (list) => {
    const reason = outageOf(history.moves);
    return reason !== undefined && list.some(({ immutable }) => immutable) ? unknown(reason) : read(published(list));
  });
}

function fresh({ action, asOf, observations, releases, refs }: CollectedFacts, history: TagHistory): Reading {
  const own = 'value' in observations ? observations.value.filter(({ commit }) => commit === action.commit) : [];
  const times = own.map(({ firstSeen }) => firstSeen);
  const tags = new Set(
    'value' in refs ? refs.value.tags.flatMap(({ name, commit }) => (commit === action.commit ? [name] : [])) : [],
  );
  for (const { tag, publishedAt, draft } of 'value' in releases ? releases.value : []) {
    const moved = 'value' in history.moves && history.moves.value.some((move) => move.tag === tag);
    if (!draft && publishedAt !== null && tags.has(tag) && !moved && parseVersion(tag) !== undefined)
      times.push(publishedAt);
  }
  const oldest = times.filter((at) => ageOf(at, asOf) >= 0).sort((a, b) => timeOf(a) - timeOf(b))[0];
  if (oldest !== undefined && ageOf(oldest, asOf) >= FRESH) return ABSENT;
  if ('unknown' in history.moves) return unknown(history.moves.unknown);
  const reason = outageOf(releases);
  if (reason !== undefined) return unknown(reason);
  return oldest === undefined
    ? present(1, 'The commit was not seen before.')
    : present(1, `The commit was first seen on ${dayOf(oldest)}.`);
}
