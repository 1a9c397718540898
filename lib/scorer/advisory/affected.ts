import { inRange, parseVersion, type Version } from '#lib/workflow/model/versions.ts';
import type { Advisory, CollectedFacts, RefObservation } from '../facts.ts';
import type { TagHistory } from '../tag/moves.ts';
import { DAY, timeOf } from '../time.ts';

export type Affected = 'yes' | 'no' | 'unmapped';

const LONGEST_INCIDENT = 60 * DAY;
const TAG = 'refs/tags/';

/** Maps advisories to one commit: by listed commits, then by tag and time of observation, then by version. */
export class AdvisoryMatcher {
  readonly #commit: string;
  readonly #asOf: number;
  readonly #tags: ReadonlyMap<string, string>;
  readonly #observations: readonly RefObservation[];
  readonly #versions: readonly { readonly version: Version }[];

  constructor({ action, asOf, refs, observations }: CollectedFacts, { kinds, exactTags }: TagHistory) {
    this.#commit = action.commit;
    this.#asOf = timeOf(asOf);
    this.#tags = new Map('value' in refs ? refs.value.tags.map(({ name, commit }) => [name, commit]) : []);
    this.#observations = 'value' in observations ? observations.value : [];
    const observed = this.#observations.flatMap(({ ref, commit }) =>
      commit === action.commit && ref.startsWith(TAG) ? [ref.slice(TAG.length)] : [],
    );
    const tags = [...new Set([...exactTags, ...observed])].flatMap((tag) => {
      const exact = kinds.exact(tag);
      const version = exact && parseVersion(tag.slice(exact.prefix.length));
      return version === undefined ? [] : [{ version, whole: exact?.prefix === '' }];
    });
    const whole = tags.filter((each) => each.whole);
    this.#versions = whole.length > 0 ? whole : tags;
  }

  /** @param all The advisories of the repository: one that lists commits answers for others about the same incident. */
  affects(advisory: Advisory, all: readonly Advisory[]): Affected {
    if (advisory.commits !== undefined) return advisory.commits.includes(this.#commit) ? 'yes' : 'no';
    if (advisory.kind === 'vulnerability') return this.#byVersion(advisory);
    if (all.some((other) => other.kind === 'malware' && other.commits !== undefined && sameIncident(advisory, other))) {
      return 'no';
    }
    if (advisory.windows !== undefined) return this.#byWindow(advisory.windows);
    const byVersion = this.#byVersion(advisory);
    // A tag in the range may have been restored, so a version alone never makes a commit malicious.
    return byVersion === 'yes' ? 'unmapped' : byVersion;
  }

  #byVersion({ ranges }: Advisory): Affected {
    if (ranges === undefined || ranges.length === 0 || this.#versions.length === 0) return 'unmapped';
    return this.#versions.some(({ version }) => inRange(version, ranges)) ? 'yes' : 'no';
  }

  #byWindow(windows: NonNullable<Advisory['windows']>): Affected {
    const verdicts = windows.map(({ tags, from, to }) => {
      const isNamed = (tag: string): boolean => tags === 'all' || tags.includes(tag);
      const [start, end] = [timeOf(from), timeOf(to)];
      const own = this.#observations.filter(({ commit }) => commit === this.#commit);
      if (own.some(({ firstSeen }) => timeOf(firstSeen) < start)) return 'no';
      const during = own.some(
        ({ ref, firstSeen }) => ref.startsWith(TAG) && isNamed(ref.slice(TAG.length)) && timeOf(firstSeen) < end,
      );
      if (during) return 'yes';
      const named = [...this.#tags].filter(([tag, commit]) => commit === this.#commit && isNamed(tag));
      if (this.#asOf >= end) {
        const watched = this.#observations.some(({ firstSeen }) => timeOf(firstSeen) < start);
        return named.length > 0 || (watched && own.length > 0) ? 'no' : 'unmapped';
      }
      return named.length > 0 && tags !== 'all' ? 'yes' : 'unmapped';
    });
    if (verdicts.includes('yes')) return 'yes';
    return verdicts.includes('unmapped') ? 'unmapped' : 'no';
  }
}

function sameIncident(one: Advisory, other: Advisory): boolean {
  const times = [one, other].map(({ publishedAt }) => (publishedAt === null ? Number.NaN : timeOf(publishedAt)));
  const [a = Number.NaN, b = Number.NaN] = times;
  return one !== other && Math.abs(a - b) <= LONGEST_INCIDENT;
}
