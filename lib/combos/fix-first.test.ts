import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effort } from '../../tests/support/effort.ts';
import { type FirstFix, fixFirst } from './fix-first.ts';

interface Path {
  readonly severity: 'CRITICAL' | 'HIGH' | 'MEDIUM';
  readonly cuts: readonly (readonly string[])[];
}

const path = (...cuts: string[][]): Path => ({ severity: 'HIGH', cuts });

const found = (fingerprint: string, more: object = {}) => ({
  fingerprint,
  severity: 'HIGH' as const,
  file: 'a.yml',
  line: 1,
  ...more,
});

function repository(name: string, paths: readonly Path[], findings: readonly ReturnType<typeof found>[] = []) {
  const named = new Set(paths.flatMap(({ cuts }) => cuts.flat()));
  const all = [...[...named].map((fingerprint) => found(fingerprint)), ...findings];
  return { id: name, name, paths, findings: new Map(all.map((finding) => [finding.fingerprint, finding])) };
}

const text = ({ finding, breaks }: FirstFix<ReturnType<typeof found>, string>) => `${finding.fingerprint}:${breaks}`;
const short = (paths: readonly Path[]): string[] => fixFirst([repository('one', paths)]).map(text);

describe('what to fix first', () => {
  it('is empty without paths, and leaves out what no fix ends', () => {
    expect(fixFirst([])).toEqual([]);
    expect(short([path()])).toEqual([]);
  });

  it('is one finding if it ends all paths', () => {
    expect(short([path(['a'], ['x']), path(['b'], ['x']), path(['x'])])).toEqual(['x:3']);
  });

  it('begins with the finding that ends most, then with the one that ends most of the rest', () => {
    const paths = [path(['a'], ['g']), path(['a'], ['g']), path(['a']), path(['b'], ['g']), path(['b'], ['g'])];
    expect(short(paths)).toEqual(['g:4', 'a:3']);
  });

  it('counts what a finding ends alone, and nothing for findings that have to be fixed together', () => {
    expect(short([path(['a', 'b'], ['c'])])).toEqual(['c:1']);
    expect(short([path(['a', 'b'])])).toEqual(['a:0', 'b:0']);
    expect(short([path(['a', 'b']), path(['b'])])).toEqual(['b:1', 'a:0']);
  });

  it('prefers the fewest findings that end a path', () => {
    const many = ['x', 'y', 'z'];
    expect(short([path(many), path(many), path(['a', 'b']), path(['c'])])).toEqual([
      'c:1',
      'a:0',
      'b:0',
      'x:0',
      'y:0',
      'z:0',
    ]);
  });

  it('breaks ties by severity of the path and the finding, repository, file and line', () => {
    const one = repository(
      'one',
      [
        path(['later']),
        path(['first']),
        path(['medium']),
        path(['other']),
        { ...path(['worst']), severity: 'CRITICAL' },
      ],
      [
        found('later', { line: 9 }),
        found('first', { line: 2 }),
        found('other', { file: 'b.yml' }),
        found('medium', { severity: 'MEDIUM' as const }),
      ],
    );
    const two = repository('two', [path(['there'])]);
    const order = fixFirst([two, one]).map(({ finding }) => finding.fingerprint);
    expect(order).toEqual(['worst', 'first', 'later', 'other', 'there', 'medium']);
  });

  it('ranks the fixes of several repositories by how many paths they end', () => {
    const fixes = fixFirst([repository('one', [path(['a'])]), repository('two', [path(['b']), path(['b'])])]);
    expect(fixes.map((fix) => [fix.repository, text(fix)])).toEqual([
      ['two', 'b:2'],
      ['one', 'a:1'],
    ]);
  });
});

describe('for any paths', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const cut = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
  const somePath = fc.record({
    severity: fc.constantFrom('CRITICAL' as const, 'HIGH' as const, 'MEDIUM' as const),
    cuts: fc.array(cut, { maxLength: 3 }),
  });
  const someRepositories = fc.array(fc.array(somePath, { maxLength: 8 }), { minLength: 1, maxLength: 3 });

  const ended = (repositories: readonly { name: string; paths: readonly Path[] }[], fixed: ReadonlySet<string>) =>
    repositories.reduce(
      (sum, { name: id, paths }) =>
        sum + paths.filter(({ cuts }) => cuts.some((each) => each.every((one) => fixed.has(`${id} ${one}`)))).length,
      0,
    );

  function setsUpTo(size: number, items: readonly string[]): string[][] {
    if (size === 0 || items.length === 0) return [[]];
    const [first = '', ...rest] = items;
    return [...setsUpTo(size - 1, rest).map((set) => [first, ...set]), ...setsUpTo(size, rest)];
  }

  it('ends every path that fixes can end, and no prefix grows faster by as few findings', () => {
    fc.assert(
      fc.property(someRepositories, (given) => {
        const repositories = given.map((paths, index) => repository(`r${index}`, paths));
        const all = repositories.flatMap(({ name: id, findings }) => [...findings.keys()].map((one) => `${id} ${one}`));
        const fixes = fixFirst(repositories);
        const order = fixes.map(({ repository: id, finding }) => `${id} ${finding.fingerprint}`);
        expect(new Set(order).size).toBe(order.length);
        expect(ended(repositories, new Set(order))).toBe(ended(repositories, new Set(all)));
        for (const [index, { breaks }] of fixes.entries()) {
          expect(breaks).toBe(ended(repositories, new Set(order.slice(index, index + 1))));
        }
        let from = 0;
        while (from < order.length) {
          const before = order.slice(0, from);
          const had = ended(repositories, new Set(before));
          let size = 1;
          while (ended(repositories, new Set(order.slice(0, from + size))) === had) size += 1;
          const has = ended(repositories, new Set(order.slice(0, from + size)));
          for (const instead of setsUpTo(size, all)) {
            expect(ended(repositories, new Set([...before, ...instead]))).toBeLessThanOrEqual(has);
          }
          from += size;
        }
      }),
      effort(60, 600),
    );
  });

  it('does not depend on the order of paths and repositories', () => {
    fc.assert(
      fc.property(someRepositories, (given) => {
        const repositories = given.map((paths, index) => repository(`r${index}`, paths));
        const turned = repositories.map((each) => ({ ...each, paths: [...each.paths].reverse() })).reverse();
        expect(fixFirst(turned).map(text)).toEqual(fixFirst(repositories).map(text));
      }),
      effort(60, 600),
    );
  });
});
