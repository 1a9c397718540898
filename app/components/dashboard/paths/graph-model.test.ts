import { describe, expect, it } from 'vitest';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { placeNodes } from './graph-layout.ts';
import { graphOf, pictureHeight } from './graph-model.ts';

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

describe('the picture of an attack path', () => {
  it('has a column for each stage and one for the impact, with the findings below their stage', () => {
    const path = pathWith([component('a', '1', 'x.yml'), component('b', '2', 'x.yml'), component('z', '3', null)]);
    const { columns, edges } = graphOf(path);
    expect(columns.map((column) => column.map(({ id }) => id))).toEqual([
      ['stage-1', 'stage-1-a-1'],
      ['stage-2', 'stage-2-b-2'],
      ['stage-3'],
      ['impact', 'impact-z-3'],
    ]);
    expect(edges).toEqual([
      { from: 'stage-1', to: 'stage-2', words: 'same file' },
      { from: 'stage-2', to: 'stage-3', words: 'then' },
      { from: 'stage-3', to: 'impact', words: 'ends in' },
      { from: 'stage-1', to: 'stage-1-a-1', words: 'because of' },
      { from: 'stage-2', to: 'stage-2-b-2', words: 'because of' },
      { from: 'impact', to: 'impact-z-3', words: 'also needs' },
    ]);
  });

  it('names another file, and shows a finding once where two stages have its rule', () => {
    const path = pathWith([component('a', '1', 'x.yml'), component('b', '2', 'y.yml')]);
    expect(graphOf(path).edges[0]).toEqual({ from: 'stage-1', to: 'stage-2', words: 'other file' });
    const [first] = path.stages;
    const twice = { ...path, stages: [...path.stages, { ...first, order: 3 }] } as AttackPath;
    expect(
      graphOf(twice)
        .columns.flat()
        .filter(({ kind }) => kind === 'finding'),
    ).toHaveLength(2);
  });

  it('cuts the chain at one place: the stage of the rule, or its finding where no stage has it', () => {
    const cut = (path: AttackPath) =>
      graphOf(path).columns.flatMap((column) =>
        column.flatMap((node) => ('breaks' in node && node.breaks ? node.id : [])),
      );
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
    expect(graphOf(many(7)).columns.flat()).toHaveLength(12);
    const { columns } = graphOf(many(8));
    expect(columns[1]?.slice(1)).toEqual([{ id: 'stage-2-count', kind: 'count', count: 8, breaks: false }]);
    expect(columns[0]?.[1]?.kind).toBe('finding');
  });

  it('places columns from the left to the right without overlaps, with their heads in one line', () => {
    const components = [component('a', '1', 'x.yml'), component('b', '2', 'x.yml'), component('b', '3', 'x.yml')];
    const model = graphOf(pathWith(components));
    const placed = placeNodes(model);
    const heads = placed.filter(({ node }) => node.kind === 'stage' || node.kind === 'impact');
    expect(heads.map(({ y }) => y)).toEqual([0, 0, 0, 0]);
    const lefts = heads.map(({ x }) => x);
    for (const [index, left] of lefts.entries()) expect(left - (lefts[index - 1] ?? -999)).toBeGreaterThan(240);
    const below = placed.filter(({ x }) => x === lefts[1]).map(({ y, height }) => [y, y + height] as const);
    expect(below).toHaveLength(3);
    for (const [index, [top]] of below.entries()) expect(top).toBeGreaterThan(below[index - 1]?.[1] ?? -1);
    expect(pictureHeight(model)).toBeGreaterThanOrEqual(Math.max(...placed.map(({ y, height }) => y + height)));
  });
});
