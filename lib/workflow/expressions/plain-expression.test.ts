import { describe, expect, it } from 'vitest';
import { difference } from '../../../tests/support/difference.ts';
import { FULL, SEED } from '../../../tests/support/effort.ts';
import { ExpressionTexts } from '../../../tests/support/expression-texts.ts';
import { corpusTexts, exampleTexts, HAS_CORPUS } from '../../../tests/support/real-workflows.ts';
import { parseWithLibrary } from './expression.ts';
import { readPlainExpression } from './plain-expression.ts';

const EXPRESSIONS = FULL ? 10_000_000 : 20_000;

function expressionsOf(texts: readonly string[]): string[] {
  const sources = texts.flatMap((text) =>
    [...text.matchAll(/\$\{\{([^}]{0,500})\}\}/g)].map(([, body = '']) => body.trim()),
  );
  return [...new Set(sources)];
}

function isReadAlike(source: string): boolean {
  const node = readPlainExpression(source);
  if (node === undefined) return false;
  const found = difference({ node, error: undefined }, parseWithLibrary(source));
  if (found !== undefined) throw new Error(`${found}\nin ${JSON.stringify(source)}`);
  return true;
}

describe('the plain reader of expressions', () => {
  it.each([
    'github.event.pull_request.head.sha',
    "GitHub.Event['Issue'].labels.*.name",
    "github . event [ 0 ] [inputs.x] [*] ['*']",
    "a == 'b'".replace('a', 'env.A'),
    "!cancelled() && (success() || failure()) && inputs.a != ''",
    "contains(fromJSON('[1]'), 1) == true",
    'case(true, 1, null, 2, false)',
    '(github).event.x',
    '(env.a || env.b)[0].c',
    'inputs.a < 1 == inputs.b >= 2',
    "format('{0}', github.ref)\n",
    "hashFiles('**/x', 'y')",
    'inputs.infinity.NaN',
  ])('reads %j as the library does', (source) => {
    expect(isReadAlike(source.trim())).toBe(true);
  });

  it.each([
    '',
    'foo.bar',
    'github.',
    'github.true',
    "'it''s'",
    "'open",
    '-1',
    '1.5',
    '010',
    'NaN',
    'contains(1)',
    'case(1, 2)',
    'join(1, 2, 3)',
    'format(github.ref,)',
    'constructor()',
    'github.ref(1)',
    "'a'.b",
    'github ref',
    '! = 1',
    '!= 1',
    'github == ',
    'env.a = 1',
    'env.a & env.b',
    'github.é',
    'env.a\t|| env.b',
    `${'('.repeat(30)}1${')'.repeat(30)}`,
    `${'!'.repeat(50)}1`,
    `github${'.a'.repeat(50)}`,
    `github.${'a'.repeat(2_000)}`,
  ])('leaves %j to the library', (source) => {
    expect(readPlainExpression(source)).toBeUndefined();
  });

  it(`has the same tree as the library for ${EXPRESSIONS} random expressions`, { timeout: 0 }, () => {
    const texts = new ExpressionTexts(SEED, expressionsOf([...exampleTexts(), ...corpusTexts()]));
    let read = 0;
    for (let left = EXPRESSIONS; left > 0; left -= 1) if (isReadAlike(texts.next())) read += 1;
    expect(read / EXPRESSIONS, 'share that it reads').toBeGreaterThan(0.25);
  });

  it('reads nearly all expressions of the examples of rules, as the library does', () => {
    const sources = expressionsOf(exampleTexts());
    expect(sources.filter(isReadAlike).length / sources.length).toBeGreaterThan(0.9);
  });

  it.skipIf(!HAS_CORPUS)('reads nearly all real expressions, as the library does (skipped: .corpus is missing)', () => {
    const sources = expressionsOf(corpusTexts());
    expect(sources.filter(isReadAlike).length / sources.length).toBeGreaterThan(0.9);
  });
});
