import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  inRange,
  isExact,
  mostSpecificTag,
  newestOf,
  parseVersion,
  tagInComment,
  type Version,
} from './versions.ts';

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`no version: ${text}`);
  return parsed;
}

describe('parseVersion', () => {
  it.each(['v4', '4.1', 'v1.2.3', 'v1.2.3.4', '2.0.0-rc.1', '1.0.0+build'])('reads %s', (text) => {
    expect(parseVersion(text)).toBeDefined();
  });

  it.each(['main', 'release/v1', 'v', '1.', 'v1.x', '', 'a1.2', '1'.repeat(40)])('refuses %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

it('orders numerically, with a pre-release before its release', () => {
  const ordered = ['0.9', '1.0.0-alpha', '1.0.0-beta', '1.0.0', '1.2.0', '1.10', '2'].map(version);
  for (const [index, one] of ordered.entries()) {
    for (const [other, two] of ordered.entries()) {
      expect(Math.sign(compareVersions(one, two))).toBe(Math.sign(index - other));
    }
  }
  expect(compareVersions(version('v1'), version('1.0.0'))).toBe(0);
});

it.each([
  ['4.1.2', '>= 4.0.0, < 4.1.3', true],
  ['4.1.3', '>= 4.0.0, < 4.1.3', false],
  ['3.9.9', '>= 4.0.0, < 4.1.3', false],
  ['45.0.7', '<= 45.0.7', true],
  ['45.0.8', '<= 45.0.7', false],
  ['1.2.3', '= 1.2.3', true],
  ['1.2.3', '> 1.2.2', true],
  ['2.27.0', ['>= 3.26.11, < 3.28.3', '>= 2.26.11, < 3.0.0'], true],
  ['1.0.0', '< nonsense', false],
] as const)('%s in %j is %s', (text, range, expected) => {
  expect(inRange(version(text), range)).toBe(expected);
});

it('resolves a floating tag to the newest release it can name', () => {
  expect(inRange(newestOf(version('v4')), '>= 4.0.0, < 4.1.3')).toBe(false);
  expect(inRange(newestOf(version('v8')), '< 9.0.0')).toBe(true);
  expect(inRange(newestOf(version('v1.2')), '< 1.2.5')).toBe(false);
  expect(inRange(newestOf(version('v1.2')), '< 1.3')).toBe(true);
  expect(isExact(version('v1.2'))).toBe(false);
  expect(newestOf(version('1.2.3'))).toEqual(version('1.2.3'));
});

it.each([
  ['v4.1.3', 'v4.1.3'],
  ['tag=v4', 'v4'],
  ['tag: 4.1', '4.1'],
  ['version 1.2.3', '1.2.3'],
  ['ratchet:actions/checkout@v4', 'v4'],
  ['actions/checkout@v4.2.0', 'v4.2.0'],
  ['v4.1.3, see the release notes', 'v4.1.3'],
  ['@v3', 'v3'],
  ['pinned to v4', undefined],
  ['main', undefined],
  ['zizmor: ignore[unpinned-uses]', undefined],
  ['2024-01-02', undefined],
  [undefined, undefined],
])('finds in the comment %j the tag %j', (comment, expected) => {
  expect(tagInComment(comment)).toBe(expected);
});

it('prefers the most specific tag of a commit', () => {
  const tags = new Map([
    ['v4', 'a'],
    ['v4.1.3', 'a'],
    ['v4.1', 'a'],
    ['release', 'a'],
    ['v4.1.4', 'b'],
  ]);
  expect(mostSpecificTag(tags, 'a')).toBe('v4.1.3');
  expect(mostSpecificTag(tags, 'c')).toBeUndefined();
});
