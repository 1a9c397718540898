import { expect, it } from 'vitest';
import { FULL } from '../support/effort.ts';
import { isStillLinear, judge, listRegexes, readVerdicts, regexesOf } from '../support/regexes.ts';

const TIMEOUT_MS = FULL ? 20_000 : 5_000;
const MOST_UNLISTED = 20;

const { regexes, dynamic } = listRegexes();
const verdicts = readVerdicts();

it('every regular expression takes linear time on any text', { timeout: 7_200_000 }, async () => {
  const unlisted = [...regexes].filter(([name]) => FULL || verdicts.regexes[name] === undefined);
  expect(regexes.size).toBeGreaterThan(1_000);
  if (!FULL) expect(unlisted.length).toBeLessThan(MOST_UNLISTED);
  const slow: string[] = [];
  for (const [name, { regex, places }] of unlisted) {
    const verdict = await judge(regex, TIMEOUT_MS);
    if (verdict.kind === 'superlinear') slow.push(`${places.join(', ')}: ${name}: ${verdict.because}`);
  }
  expect(slow).toEqual([]);
});

it('an expression that is linear only by measurement still is', () => {
  const measured = [...regexes].flatMap(([name, { regex, places }]) => {
    const stored = verdicts.regexes[name];
    return typeof stored === 'object' ? [{ name, regex, places, attack: stored.attack }] : [];
  });
  expect(measured.length).toBeGreaterThan(0);
  // Each was measured when its verdict was stored; what could change since is Node.js.
  const tried = FULL ? measured : measured.filter((_, index) => index % 4 === 0);
  const slow = tried.filter(({ regex, attack }) => !isStillLinear(regex, attack));
  expect(slow.map(({ name, places }) => `${places.join(', ')}: ${name}`)).toEqual([]);
}, 300_000);

it('a pattern built from a variable has a reason why the variable holds no pattern', () => {
  const used = dynamic.map(({ place, source }) => `${place.replace(/:\d+$/, '')}: ${source}`);
  expect([...new Set(used)].sort()).toEqual(Object.keys(verdicts.dynamic).sort());
});

it.each([
  ['an overlap of repetitions', /^(\w+)*$/],
  ['a dot between words', /a.*b/],
  ...(FULL
    ? ([
        ['a search that starts again at each white space', /\s+$/],
        ['a repetition beside its own kind', /^-\w*c\w*$/],
      ] as const)
    : []),
] as const)('%s is found', async (_, { source, flags }) => {
  expect(await judge({ pattern: source, flags }, 10_000)).toMatchObject({ kind: 'superlinear' });
});

it('a look-ahead to the end that each match repeats is found by measurement', async () => {
  expect(await judge({ pattern: 'a(?=[^]*b)|a', flags: 'g' }, 10_000)).toMatchObject({ kind: 'superlinear' });
});

it.each([
  ['a search that cannot start within a run', '(?<!\\s)\\s+$', ''],
  ['white space everywhere', '\\s+', 'g'],
  ...(FULL ? ([['a bounded repetition', 'git[^\\n]{0,50}push', '']] as const) : []),
] as const)('%s is linear', async (_, pattern, flags) => {
  expect((await judge({ pattern, flags }, 10_000)).kind).not.toBe('superlinear');
});

it('literals, constants and variables are listed', () => {
  const source = 'const a = /x+/g;\nnew RegExp("y", "i");\nRegExp(`z`);\nnew RegExp(`^${a}$`, "m");\nnew RegExp(b);\n';
  const found = regexesOf('a.ts', source);
  expect(found.regexes).toEqual([
    { pattern: 'x+', flags: 'g', place: 'a.ts:1' },
    { pattern: 'y', flags: 'i', place: 'a.ts:2' },
    { pattern: 'z', flags: '', place: 'a.ts:3' },
  ]);
  expect(found.dynamic).toEqual([
    { pattern: '^NAME$', flags: 'm', place: 'a.ts:4', source: '`^${a}$`' },
    { pattern: 'NAME', flags: '', place: 'a.ts:5', source: 'b' },
  ]);
});
