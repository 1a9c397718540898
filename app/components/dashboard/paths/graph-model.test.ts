import { describe, expect, it } from 'vitest';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { type GraphNode, graphOf } from './graph-model.ts';

type Component = AttackPath['components'][number];

function component(rule: string, fingerprint: string, file: string | null): Component {
  return { rule_id: rule, finding: { fingerprint, title: `${rule} here`, file, line: 3 } } as Component;
}

function pathWith(components: readonly Component[], breaks = 'b'): AttackPath {
  const stages = ['a', 'b', null].map((rule, order) => ({
    order,
    title: `Stage ${order}`,
    description: '',
    rule_id: rule,
  }));
  return { stages, components, break_chain_rule: breaks, impact: 'Everything.' } as unknown as AttackPath;
}

function nodesOf(path: AttackPath): readonly GraphNode[] {
  return graphOf(path).flatMap(({ head, below }) => [head, ...below].map(({ node }) => node));
}

describe('the picture of an attack path', () => {
  it('has a column for each stage and one for the impact, with the findings below their stage', () => {
    const path = pathWith([component('a', '1', 'x.yml'), component('b', '2', 'x.yml'), component('z', '3', null)]);
    const drawn = graphOf(path).map(({ head, below }) => [head, ...below].map(({ words, node }) => [words, node.id]));
    expect(drawn).toEqual([
      [
        [null, 'stage-1'],
        ['because of', 'stage-1-a-1'],
      ],
      [
        ['same file', 'stage-2'],
        ['because of', 'stage-2-b-2'],
      ],
      [['then', 'stage-3']],
      [
        ['ends in', 'impact'],
        ['also needs', 'impact-z-3'],
      ],
    ]);
  });

  it('names another file, and shows a finding once where two stages have its rule', () => {
    const path = pathWith([component('a', '1', 'x.yml'), component('b', '2', 'y.yml')]);
    expect(graphOf(path)[1]?.head.words).toBe('other file');
    const [first] = path.stages;
    const twice = { ...path, stages: [...path.stages, { ...first, order: 3 }] } as AttackPath;
    expect(nodesOf(twice).filter(({ kind }) => kind === 'finding')).toHaveLength(2);
  });

  it('cuts the chain at one place: the stage of the rule, or its finding where no stage has it', () => {
    const cut = (path: AttackPath) => nodesOf(path).flatMap((node) => ('breaks' in node && node.breaks ? node.id : []));
    const components = [component('a', '1', 'x.yml'), component('b', '2', 'x.yml'), component('z', '3', null)];
    expect(cut(pathWith(components))).toEqual(['stage-2']);
    expect(cut(pathWith(components, 'z'))).toEqual(['impact-z-3']);
  });

  it('shows numbers of findings when it would have more than twelve nodes', () => {
    const many = (count: number) =>
      pathWith([
        component('a', 'a', 'x.yml'),
        ...Array.from({ length: count }, (_, index) => component('b', `${index}`, 'x.yml')),
      ]);
    expect(nodesOf(many(7))).toHaveLength(12);
    const [first, second] = graphOf(many(8));
    const counted = { id: 'stage-2-count', kind: 'count', count: 8, breaks: false };
    expect(second?.below).toEqual([{ words: 'because of', node: counted }]);
    expect(first?.below[0]?.node.kind).toBe('finding');
  });

  it('joins findings of one stage by their own word', () => {
    const path = pathWith([component('b', '1', 'x.yml'), component('b', '2', 'x.yml')]);
    expect(graphOf(path)[1]?.below.map(({ words }) => words)).toEqual(['because of', 'and']);
  });
});
