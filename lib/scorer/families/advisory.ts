import { AdvisoryMatcher, type Affected } from '../advisory/affected.ts';
import { knownAdvisories, mergeAdvisories } from '../advisory/known-advisories.ts';
import type { Advisory, AdvisorySeverity, CollectedFacts, RefObservation } from '../facts.ts';
import { defineFamily, type FamilySignal } from '../family.ts';
import { ABSENT, outageOf, type Points, present, presentFor, type Reading, reading, unknown } from '../signal.ts';
import { tagHistoryOf } from '../tag/moves.ts';
import { distinctNames } from '../tag/ref-kinds.ts';
import { ageOf, timeOf, YEAR } from '../time.ts';

interface Subject {
  readonly facts: CollectedFacts;
  readonly judged: readonly Judged[];
}

interface Judged {
  readonly advisory: Advisory;
  readonly affected: Affected;
  readonly doubtful: boolean;
}

const NOW = '2026-01-15T00:00:00Z';
const THIS = 'a'.repeat(40);
const BAD = 'e'.repeat(40);

function malware(changes: Partial<Advisory>): Partial<CollectedFacts> {
  return { asOf: NOW, advisories: { value: [advisory({ kind: 'malware', severity: 'critical', ...changes })] } };
}

function advisory(changes: Partial<Advisory>): Advisory {
  const defaults = {
    id: 'GHSA-xxxx',
    kind: 'vulnerability',
    severity: 'high',
    publishedAt: '2025-12-01T00:00:00Z',
    path: '',
  };
  return { ...(defaults as Advisory), ...changes };
}

function observed(
  ...seen: readonly (readonly [tag: string, commit: string, firstSeen: string])[]
): Partial<CollectedFacts> {
  return {
    observations: {
      value: seen.map(
        ([tag, commit, firstSeen]): RefObservation => ({ ref: `refs/tags/${tag}`, commit, firstSeen, lastSeen: NOW }),
      ),
    },
  };
}

const MOVED = { tags: 'all', from: '2025-12-01T00:00:00Z', to: '2025-12-02T00:00:00Z' } as const;

function vulnerability(severity: AdvisorySeverity, points: Points): FamilySignal<Subject> {
  return {
    id: `vuln-${severity}`,
    points,
    essential: true,
    means: `A published advisory of severity ${severity} affects this commit.`,
    read: ({ facts, judged }) => {
      const own = ofKind(judged, 'vulnerability').filter(({ advisory: each }) => each.severity === severity);
      return readingOf(
        facts,
        own,
        presentFor(idsOf(own, 'yes'), (ids) => `Affected by ${ids}.`),
      );
    },
    examples: {
      present: [
        [1, vulnerable({ severity, ranges: ['< 1.0.1'] })],
        [1, vulnerable({ severity, commits: [THIS] })],
        [2, { advisories: { value: [one('1', severity), one('2', severity)] } }],
      ],
      absent: [
        vulnerable({ severity, ranges: ['< 1.0.0'] }),
        vulnerable({ severity, ranges: ['<= 1.0.0'], commits: [BAD] }),
        vulnerable({ severity, ranges: ['<= 1.0.0'], path: 'other' }),
        vulnerable({ severity, ranges: ['<= 1.0.0'], publishedAt: '2026-01-16T00:00:00Z' }),
        vulnerable({ severity: severity === 'low' ? 'high' : 'low', ranges: ['<= 1.0.0'] }),
      ],
      unknown: [{ advisories: { unknown: 'rate_limited' } }],
    },
  };
}

function vulnerable(changes: Partial<Advisory>): Partial<CollectedFacts> {
  return { asOf: NOW, advisories: { value: [advisory(changes)] } };
}

function one(id: string, severity: AdvisorySeverity): Advisory {
  return advisory({ id, severity, ranges: ['<= 1.0.0'] });
}

function dependencies(severity: 'critical' | 'high', points: Points): FamilySignal<Subject> {
  const dependency = (name: string, level: AdvisorySeverity) => ({ name, version: '1.0.0', severity: level });
  return {
    id: `dep-vuln-${severity}`,
    points,
    means: `A bundled run-time dependency has a published vulnerability of severity ${severity}.`,
    read: ({ facts }) =>
      reading(facts.dependencies, (list) => {
        const names = list.flatMap((each) => (each.severity === severity ? [`${each.name} ${each.version}`] : []));
        return presentFor(distinctNames(names), (found) => `Vulnerable: ${found}.`);
      }),
    examples: {
      present: [
        [1, { dependencies: { value: [dependency('undici', severity), dependency('undici', severity)] } }],
        [2, { dependencies: { value: [dependency('undici', severity), dependency('semver', severity)] } }],
      ],
      absent: [{ dependencies: { value: [dependency('undici', 'moderate')] } }],
      unknown: [{ dependencies: { unknown: 'not_supported' } }],
    },
  };
}

export const ADVISORY_FAMILY = defineFamily<Subject>({
  id: 'advisory',
  cap: 100,
  prepare: judge,
  signals: [
    {
      id: 'malware-this-commit',
      points: [100, 0, 100],
      blocks: true,
      essential: true,
      means: 'This commit contained malicious code.',
      read: ({ facts, judged }) => {
        const all = ofKind(judged, 'malware');
        const sure = idsOf(
          all.filter(({ doubtful }) => !doubtful),
          'yes',
        );
        return sure.length > 0
          ? presentFor(sure, (ids) => `Malicious according to ${ids}.`)
          : readingOf(
              facts,
              all,
              presentFor(idsOf(all, 'yes'), (ids) => `Malicious according to ${ids}.`),
            );
      },
      examples: {
        present: [
          [1, malware({ commits: [BAD, THIS] })],
          [1, { ...malware({ windows: [MOVED] }), ...observed(['v1.0.0', THIS, '2025-12-01T10:00:00Z']) }],
          [1, { ...malware({ windows: [{ ...MOVED, tags: ['v1'], to: '9999-12-31T23:59:59Z' }] }), ...observed() }],
          [
            1,
            {
              action: {
                owner: 'TJ-actions',
                name: 'changed-files',
                path: '',
                commit: '0e58ed8671d6b60d0890c21b07f8835ace038e67',
                repositoryId: 1,
                ownerId: 2,
              },
              advisories: { unknown: 'fetch_failed' },
            },
          ],
        ],
        absent: [
          malware({ commits: [BAD], ranges: ['<= 1.0.0'], windows: [MOVED] }),
          { ...malware({ windows: [MOVED] }), ...observed(['v1.0.0', THIS, '2025-11-01T00:00:00Z']) },
          { ...malware({ windows: [MOVED] }), ...observed() },
          malware({ ranges: ['<= 1.0.0'] }),
          malware({ commits: [THIS], publishedAt: '2026-01-16T00:00:00Z' }),
        ],
        unknown: [{ advisories: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'malware-mapping-unknown',
      points: [40, 0, 40],
      essential: true,
      means: 'The action was compromised at some point, and it is unknown whether this commit was affected.',
      read: ({ facts, judged }) => {
        const all = ofKind(judged, 'malware');
        return readingOf(
          facts,
          all,
          presentFor(idsOf(all, 'unmapped'), (ids) => `Not mapped to commits: ${ids}.`),
        );
      },
      examples: {
        present: [
          [1, { ...malware({ ranges: ['<= 1.0.0'] }), observations: { value: [] } }],
          [1, { ...malware({ ranges: ['<= 1.0.0'] }), ...untagged() }],
          [1, { ...malware({ windows: [MOVED] }), ...untagged() }],
        ],
        absent: [
          malware({ ranges: ['< 1.0.0'] }),
          malware({ commits: [BAD], ranges: ['<= 1.0.0'] }),
          {
            advisories: {
              value: [
                advisory({ id: 'a', kind: 'malware', commits: [BAD] }),
                advisory({ id: 'b', kind: 'malware', ranges: ['<= 1.0.0'] }),
              ],
            },
          },
        ],
        unknown: [{ advisories: { unknown: 'fetch_failed' } }],
      },
    },
    vulnerability('critical', [45, 10, 60]),
    vulnerability('high', [30, 8, 50]),
    vulnerability('moderate', [15, 5, 30]),
    vulnerability('low', [5, 2, 10]),
    {
      id: 'vuln-mapping-unknown',
      points: [10, 0, 10],
      essential: true,
      means: 'A published advisory lists affected versions, and the version of this commit is unknown.',
      read: ({ facts, judged }) => {
        const own = ofKind(judged, 'vulnerability');
        return readingOf(
          facts,
          own,
          presentFor(idsOf(own, 'unmapped'), (ids) => `Not mapped to commits: ${ids}.`),
        );
      },
      examples: {
        present: [
          [1, { ...vulnerable({ ranges: ['< 9.0.0'] }), ...untagged() }],
          [1, vulnerable({})],
        ],
        absent: [vulnerable({ ranges: ['< 9.0.0'] }), { ...vulnerable({ commits: [BAD] }), ...untagged() }],
        unknown: [{ advisories: { unknown: 'forbidden' } }],
      },
    },
    {
      id: 'compromised-365d',
      points: [8, 0, 8],
      group: 'compromised',
      means: 'Another version of the action was compromised in the last twelve months.',
      read: (subject) => compromised(subject, (age) => age <= YEAR),
      examples: {
        present: [
          [1, malware({ commits: [BAD], publishedAt: '2025-01-15T00:00:00Z' })],
          [
            1,
            malware({
              commits: [BAD],
              windows: [{ ...MOVED, to: '2025-02-01T00:00:00Z' }],
              publishedAt: '2024-12-01T00:00:00Z',
            }),
          ],
        ],
        absent: [
          malware({ commits: [BAD], publishedAt: '2025-01-14T00:00:00Z' }),
          malware({ commits: [THIS] }),
          vulnerable({ commits: [BAD] }),
        ],
        unknown: [{ advisories: { unknown: 'fetch_failed' } }],
      },
    },
    {
      id: 'compromised-older',
      points: [3, 0, 3],
      group: 'compromised',
      means: 'Another version of the action was compromised more than twelve months ago.',
      read: (subject) => compromised(subject, (age) => age > YEAR),
      examples: {
        present: [[1, malware({ commits: [BAD], publishedAt: '2025-01-14T00:00:00Z' })]],
        absent: [malware({ commits: [BAD], publishedAt: '2025-01-15T00:00:00Z' })],
        unknown: [{ advisories: { unknown: 'fetch_failed' } }],
      },
    },
    dependencies('critical', [4, 2, 8]),
    dependencies('high', [2, 1, 5]),
  ],
});

function untagged(): Partial<CollectedFacts> {
  return { refs: { value: { tags: [{ name: 'v1.0.0', commit: BAD }], branches: [] } }, observations: { value: [] } };
}

function judge(facts: CollectedFacts): Subject {
  const { action, asOf, advisories } = facts;
  const known = knownAdvisories(action.owner, action.name);
  const fetched = 'value' in advisories ? advisories.value : [];
  const relevant = mergeAdvisories([...known, ...fetched]).filter(
    ({ path, publishedAt }) =>
      (path === '' || path.toLowerCase() === action.path.toLowerCase()) &&
      !(publishedAt !== null && timeOf(publishedAt) > timeOf(asOf)),
  );
  const matcher = new AdvisoryMatcher(facts, tagHistoryOf(facts));
  return {
    facts,
    judged: relevant.map((each) => ({
      advisory: each,
      affected: matcher.affects(each, relevant),
      doubtful: each.commits === undefined && outageOf(facts.observations) !== undefined,
    })),
  };
}

/**
 * Returns unknown if an outage hides observations that these advisories need. Without the published advisories, the
 * built-in tables can prove a signal present, but not absent.
 */
function readingOf({ advisories, observations }: CollectedFacts, own: readonly Judged[], found: Reading): Reading {
  const reason = own.some(({ doubtful }) => doubtful) ? outageOf(observations) : undefined;
  if (reason !== undefined) return unknown(reason);
  return 'unknown' in advisories && found.state !== 'present' ? unknown(advisories.unknown) : found;
}

function ofKind(judged: readonly Judged[], kind: Advisory['kind']): Judged[] {
  return judged.filter(({ advisory: each }) => each.kind === kind);
}

function idsOf(judged: readonly Judged[], wanted: Affected): string[] {
  return distinctNames(judged.flatMap(({ advisory: { id }, affected }) => (affected === wanted ? [id] : [])));
}

function compromised({ facts, judged }: Subject, isMeant: (age: number) => boolean): Reading {
  const malware = ofKind(judged, 'malware');
  const others = malware.filter(({ affected }) => affected === 'no');
  const youngest = others.flatMap(({ advisory: each }) => incidentAge(each, facts.asOf) ?? []).sort((a, b) => a - b)[0];
  const ids = youngest !== undefined && isMeant(youngest) ? idsOf(others, 'no') : [];
  const found = ids.length === 0 ? ABSENT : present(1, `Other versions were malicious: ${ids.slice(0, 3).join(', ')}.`);
  return readingOf(facts, malware, found);
}

function incidentAge({ windows = [], publishedAt }: Advisory, asOf: string): number | undefined {
  const dates = [...windows.map(({ to }) => to), ...(publishedAt === null ? [] : [publishedAt])];
  const ages = dates.map((date) => ageOf(date, asOf)).filter((age) => age >= 0);
  return ages.length === 0 ? undefined : Math.min(...ages);
}
