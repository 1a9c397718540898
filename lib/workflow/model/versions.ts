import type { Uses } from './model.ts';
import { isFullSha } from './reference.ts';

export interface Version {
  /** One to four numbers; fewer than three usually mean a moving tag. */
  readonly numbers: readonly number[];
  readonly prerelease: string | undefined;
}

const VERSION = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:-([0-9A-Za-z][0-9A-Za-z.-]{0,60}))?(?:\+[0-9A-Za-z.-]{1,60})?$/;

export function parseVersion(text: string): Version | undefined {
  const [, joined, prerelease] = VERSION.exec(text.trim()) ?? [];
  if (joined === undefined) return undefined;
  const numbers = joined.split('.').map(Number);
  // `2024-01-02` is a date.
  return numbers.length < 3 && prerelease !== undefined && /^\d/.test(prerelease) ? undefined : { numbers, prerelease };
}

export function isExact(version: Version): boolean {
  return version.numbers.length >= 3;
}

/** Returns the newest release that `v4` can name; an exact version is returned as is. */
export function newestOf(version: Version): Version {
  if (isExact(version)) return version;
  const missing = Array.from({ length: 3 - version.numbers.length }, () => Number.POSITIVE_INFINITY);
  return { numbers: [...version.numbers, ...missing], prerelease: undefined };
}

/** Orders versions. Missing numbers count as 0; a pre-release precedes its release. */
export function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < Math.max(a.numbers.length, b.numbers.length); index += 1) {
    const left = a.numbers[index] ?? 0;
    const right = b.numbers[index] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === undefined) return 1;
  if (b.prerelease === undefined) return -1;
  return a.prerelease < b.prerelease ? -1 : 1;
}

/** True if a version is in an advisory's range (`>= 4.0.0, < 4.1.3`, comma means and) or in one of several. */
export function inRange(version: Version, range: string | readonly string[]): boolean {
  if (typeof range !== 'string') return range.some((one) => inRange(version, one));
  return range.split(',').every((condition) => {
    const [, operator = '=', bound = ''] = /^(<=|>=|<|>|=)?\s*(\S+)$/.exec(condition.trim()) ?? [];
    const limit = parseVersion(bound);
    if (limit === undefined) return false;
    const order = compareVersions(version, limit);
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    if (operator === '>') return order > 0;
    return operator === '>=' ? order >= 0 : order === 0;
  });
}

/** Returns the tag named by a version comment: `v4.1.3`, `tag=v4.1.3`, `version: 4.1.3`, `ratchet:owner/name@v4`. */
export function tagInComment(comment: string | undefined): string | undefined {
  if (comment === undefined) return undefined;
  const [, tag] =
    /^(?:(?:tag|version|ref|pin)\s?[=:@]?\s*|@|ratchet:[\w./-]+@|[\w.-]+\/[\w./-]+@)?(v?\d[\w.+-]*)(?:\s|,|;|\)|$)/i.exec(
      comment,
    ) ?? [];
  return tag !== undefined && parseVersion(tag) !== undefined ? tag : undefined;
}

export function mostSpecificTag(tags: ReadonlyMap<string, string>, commit: string): string | undefined {
  return [...tags]
    .flatMap(([tag, target]) => (target === commit && /^v?\d+(?:\.\d+)*$/.test(tag) ? [tag] : []))
    .sort((a, b) => b.split('.').length - a.split('.').length || (a < b ? 1 : -1))[0];
}

export interface UsedVersion {
  readonly tag: string;
  readonly version: Version;
  readonly known: 'exact' | 'floating' | 'comment';
}

const versionsAsWritten = new WeakMap<Uses, { readonly version: UsedVersion | undefined }>();

/** Returns the version in use: by a known tag of its commit, by the ref, or by the comment beside it. */
export function usedVersion(uses: Uses, tags?: ReadonlyMap<string, string>): UsedVersion | undefined {
  if (tags !== undefined) return findUsedVersion(uses, tags);
  let written = versionsAsWritten.get(uses);
  if (written === undefined) {
    written = { version: findUsedVersion(uses, undefined) };
    versionsAsWritten.set(uses, written);
  }
  return written.version;
}

function findUsedVersion(uses: Uses, tags: ReadonlyMap<string, string> | undefined): UsedVersion | undefined {
  const { reference, comment } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const pinned = isFullSha(reference.ref);
  const resolved = pinned && tags !== undefined ? mostSpecificTag(tags, reference.ref.toLowerCase()) : undefined;
  const tag = resolved ?? (pinned ? tagInComment(comment) : reference.ref);
  const version = tag === undefined ? undefined : parseVersion(tag);
  if (tag === undefined || version === undefined) return undefined;
  if (pinned && resolved === undefined) return { tag, version, known: 'comment' };
  return { tag, version, known: isExact(version) ? 'exact' : 'floating' };
}
