import { describe, expect, it } from 'vitest';
import { fixFirst, fixFirstOf } from './fix-first.ts';
import type { AttackPath } from './match.ts';

function path(...cuts: string[][]): AttackPath {
  return {
    comboId: 'some',
    title: 'Some',
    severity: 'HIGH',
    scope: 'job',
    file: 'a.yml',
    job: 'a',
    anchor: 'a.yml\na',
    impact: '',
    breakChain: '',
    breakChainRule: '',
    stages: [],
    components: cuts.flat().map((fingerprint) => ({ fingerprint, ruleId: `rule-${fingerprint}` })),
    facts: [],
    cuts,
    mitigatedBy: [],
    containsAcceptedRisk: false,
  };
}

const short = (paths: readonly AttackPath[]): string[] =>
  fixFirst(paths).map(({ fingerprint, breaks }) => `${fingerprint}:${breaks}`);

describe('what to fix first', () => {
  it('is empty without paths', () => {
    expect(fixFirst([])).toEqual([]);
  });

  it('is one finding if it ends all paths', () => {
    expect(short([path(['a'], ['x']), path(['b'], ['x']), path(['x'])])).toEqual(['x:3']);
  });

  it('is the smallest set, not the greedy one', () => {
    const paths = [
      path(['a'], ['g']),
      path(['a'], ['g']),
      path(['a']),
      path(['b'], ['g']),
      path(['b'], ['g']),
      path(['b']),
    ];
    expect(short(paths)).toEqual(['a:3', 'b:3']);
  });

  it('prefers break chains among equally small sets', () => {
    expect(short([path(['a'], ['b'])])).toEqual(['a:1']);
    expect(short([path(['b'], ['a'])])).toEqual(['b:1']);
  });

  it('prefers one finding over two that must be fixed together', () => {
    expect(short([path(['a', 'b'], ['c'])])).toEqual(['c:1']);
    expect(short([path(['a', 'b'])])).toEqual(['a:1', 'b:1']);
  });

  it('ends all paths with no superfluous finding, also when there are too many sets to try all', () => {
    const paths = Array.from({ length: 40 }, (_, index) => path([`own-${index}`], [`shared-${index % 4}`]));
    expect(short(paths)).toEqual(['shared-0:10', 'shared-1:10', 'shared-2:10', 'shared-3:10']);
  });

  it('ranks the fixes of an organization by how many paths they end', () => {
    const fixes = fixFirstOf([
      { id: 'one', paths: [path(['a'])] },
      { id: 'two', paths: [path(['b']), path(['b'])] },
    ]);
    expect(fixes.map(({ repository, fingerprint, breaks }) => [repository, fingerprint, breaks])).toEqual([
      ['two', 'b', 2],
      ['one', 'a', 1],
    ]);
  });
});
