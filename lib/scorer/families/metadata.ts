import { VERIFIED_CREATORS } from '#lib/data/curated/verified-creators.ts';
import { lookalikeOf } from '#lib/scanner/shared/lookalikes.ts';
import type { CollectedFacts, CommitActivity } from '../facts.ts';
import { defineFamily } from '../family.ts';
import { ABSENT, present, presentIf, type Reading, reading, unknown } from '../signal.ts';
import { ageOf, DAY, dayOf, timeOf, YEAR } from '../time.ts';

const VERIFIED: ReadonlySet<string> = new Set(VERIFIED_CREATORS);
const NEW_ACCOUNT = 90 * DAY;
const FEW_USERS = 10;
const WELL_KNOWN_STARS = 100;

const DAY_0 = '2026-01-15T00:00:00Z';
const commits = (latestAt: string | null, authors: CommitActivity['authors'] = []): Partial<CollectedFacts> => ({
  asOf: DAY_0,
  commits: { value: { latestAt, authors, complete: true } },
});
const HUMANS = [
  { key: 'ana', bot: false },
  { key: 'ben', bot: false },
];
const named = (owner: string, name: string): CollectedFacts['action'] => ({
  owner,
  name,
  path: '',
  commit: 'a'.repeat(40),
  repositoryId: 1,
  ownerId: 2,
});

export const METADATA_FAMILY = defineFamily<CollectedFacts>({
  id: 'metadata',
  cap: 20,
  prepare: (facts) => facts,
  signals: [
    {
      id: 'archived',
      points: [15, 0, 15],
      group: 'abandoned',
      means: 'The repository is archived and receives no fixes.',
      read: ({ repository, commits: activity }) =>
        reading(repository, ({ archived }) =>
          presentIf(
            archived,
            ('value' in activity ? latestCommit(activity.value) : undefined) ?? 'Its code host marks it as read-only.',
          ),
        ),
      examples: {
        present: [[1, { repository: { value: { archived: true, stars: 5_000 } } }]],
        absent: [{ repository: { value: { archived: false, stars: 0 } } }],
        unknown: [{ repository: { unknown: 'forbidden' } }],
      },
    },
    {
      id: 'stale-24m',
      points: [8, 0, 8],
      group: 'abandoned',
      means: 'Nobody has committed to the default branch for two years.',
      read: (facts) => stale(facts, 2 * YEAR, Number.POSITIVE_INFINITY),
      examples: {
        present: [
          [1, commits('2023-12-31T00:00:00Z')],
          [1, commits(null)],
        ],
        absent: [commits('2024-03-01T00:00:00Z'), { ...commits('2020-01-01T00:00:00Z'), ...archived() }],
        unknown: [{ commits: { unknown: 'rate_limited' } }, commits('no date')],
      },
    },
    {
      id: 'stale-12m',
      points: [4, 0, 4],
      group: 'abandoned',
      means: 'Nobody has committed to the default branch for a year.',
      read: (facts) => stale(facts, YEAR, 2 * YEAR),
      examples: {
        present: [[1, commits('2024-12-31T00:00:00Z')]],
        absent: [commits('2025-01-16T00:00:00Z'), commits('2023-12-31T00:00:00Z'), commits(null)],
        unknown: [{ commits: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'single-maintainer',
      points: [5, 0, 5],
      means:
        'At most one person committed in the last twelve months, so a single stolen account compromises the action.',
      read: ({ commits: activity }) => reading(activity, maintainers),
      examples: {
        present: [
          [
            1,
            commits(DAY_0, [
              { key: 'ana', bot: false },
              { key: 'ANA', bot: false },
              { key: 'dependabot[bot]', bot: true },
            ]),
          ],
          [1, commits(DAY_0)],
        ],
        absent: [commits(DAY_0, HUMANS)],
        unknown: [
          { commits: { value: { latestAt: DAY_0, authors: [{ key: 'ana', bot: false }], complete: false } } },
          { commits: { unknown: 'fetch_failed' } },
        ],
      },
    },
    {
      id: 'unverified-creator',
      points: [2, 0, 2],
      means: 'The publisher is not among the verified creators of the marketplace.',
      read: ({ action: { owner } }) =>
        presentIf(
          !VERIFIED.has(owner.toLowerCase()),
          `${owner} is not among ${VERIFIED.size} accounts listed by hand, since the badge has no API: one can be missing.`,
        ),
      examples: {
        present: [[1, { action: named('somebody', 'tool') }]],
        absent: [{ action: named('Docker', 'build-push-action') }],
      },
    },
    {
      id: 'owner-account-new',
      points: [8, 0, 8],
      means: 'The publisher’s account is younger than 90 days.',
      read: ({ owner, asOf }) =>
        reading(owner, ({ createdAt }) => {
          const age = ageOf(createdAt, asOf);
          if (Number.isNaN(age)) return unknown('not_supported');
          return presentIf(age < NEW_ACCOUNT, `The account was created on ${dayOf(createdAt)}.`);
        }),
      examples: {
        present: [[1, { asOf: DAY_0, owner: { value: { createdAt: '2025-10-18T00:00:00Z' } } }]],
        absent: [{ asOf: DAY_0, owner: { value: { createdAt: '2025-10-17T00:00:00Z' } } }],
        unknown: [{ owner: { unknown: 'fetch_failed' } }, { owner: { value: { createdAt: '' } } }],
      },
    },
    {
      id: 'typosquat-suspect',
      points: [15, 0, 15],
      means: 'The name resembles that of a popular action, and few accounts use this one.',
      read: typosquat,
      examples: {
        present: [[1, { action: named('action', 'checkout'), ...popularity(2, 3) }]],
        absent: [
          { action: named('action', 'checkout'), ...popularity(10, 3) },
          { action: named('action', 'checkout'), ...popularity(2, 100) },
          { action: named('actions', 'checkout'), ...popularity(2, 3) },
          { action: named('acme', 'build'), ...popularity(0, 0) },
        ],
        unknown: [{ action: named('action', 'checkout'), ...popularity(2, 3), usage: { unknown: 'no_history' } }],
      },
    },
    {
      id: 'no-security-policy',
      points: [2, 0, 2],
      means: 'The repository has no security policy that says how to report a vulnerability.',
      read: ({ community }) =>
        reading(community, ({ securityPolicy }) => presentIf(!securityPolicy, 'No SECURITY.md was found.')),
      examples: {
        present: [[1, { community: { value: { license: 'MIT', securityPolicy: false } } }]],
        absent: [{ community: { value: { license: null, securityPolicy: true } } }],
        unknown: [{ community: { unknown: 'not_supported' } }],
      },
    },
    {
      id: 'no-license',
      points: [1, 0, 1],
      means: 'The repository has no license.',
      read: ({ community }) =>
        reading(community, ({ license }) => presentIf(license === null, 'No LICENSE file was found.')),
      examples: {
        present: [[1, { community: { value: { license: null, securityPolicy: true } } }]],
        absent: [{ community: { value: { license: 'Apache-2.0', securityPolicy: false } } }],
        unknown: [{ community: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'low-adoption',
      points: [2, 0, 2],
      means: 'Fewer than ten known accounts use the action, so a change may go unnoticed.',
      read: ({ usage }) =>
        reading(usage, ({ users }) => presentIf(users < FEW_USERS, `${users} ${users === 1 ? 'does' : 'do'}.`)),
      examples: {
        present: [[1, popularity(9, 1_000)]],
        absent: [popularity(10, 0)],
        unknown: [{ usage: { unknown: 'no_history' } }],
      },
    },
  ],
});

function archived(): Partial<CollectedFacts> {
  return { repository: { value: { archived: true, stars: 0 } } };
}

function popularity(users: number, stars: number): Partial<CollectedFacts> {
  return { usage: { value: { users } }, repository: { value: { archived: false, stars } } };
}

function stale({ commits: activity, repository, asOf }: CollectedFacts, from: number, to: number): Reading {
  if ('value' in repository && repository.value.archived) return ABSENT;
  return reading(activity, ({ latestAt }) => {
    if (latestAt === null) return presentIf(to === Number.POSITIVE_INFINITY, 'It has no commits.');
    const age = ageOf(latestAt, asOf);
    if (Number.isNaN(age)) return unknown('not_supported');
    return presentIf(age > from && age <= to, `The latest commit was made on ${dayOf(latestAt)}.`);
  });
}

function latestCommit({ latestAt }: CommitActivity): string | undefined {
  return latestAt === null || Number.isNaN(timeOf(latestAt))
    ? undefined
    : `The latest commit was made on ${dayOf(latestAt)}.`;
}

function maintainers(activity: CommitActivity): Reading {
  const { authors, complete } = activity;
  const people = new Set(authors.flatMap(({ key, bot }) => (bot ? [] : [key.toLowerCase()])));
  if (people.size > 1) return ABSENT;
  if (!complete) return unknown('too_large');
  const latest = latestCommit(activity);
  return present(
    1,
    [people.size === 1 ? 'One did.' : 'Nobody did.', ...(latest === undefined ? [] : [latest])].join(' '),
  );
}

function typosquat({ action, usage, repository }: CollectedFacts): Reading {
  const popular = lookalikeOf(`${action.owner}/${action.name}`.toLowerCase());
  if (popular === undefined) return ABSENT;
  if ('value' in repository && repository.value.stars >= WELL_KNOWN_STARS) return ABSENT;
  return reading(usage, ({ users }) => {
    if (users >= FEW_USERS) return ABSENT;
    return reading(repository, () => present(1, `Compare ${popular}. Accounts known to use this one: ${users}.`));
  });
}
