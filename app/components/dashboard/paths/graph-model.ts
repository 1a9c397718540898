import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';

type Component = AttackPath['components'][number];
type Finding = Component['finding'];

export type GraphNode =
  | {
      readonly id: string;
      readonly kind: 'stage';
      readonly number: number;
      readonly title: string;
      readonly breaks: boolean;
    }
  | { readonly id: string; readonly kind: 'finding'; readonly finding: Finding; readonly breaks: boolean }
  | { readonly id: string; readonly kind: 'count'; readonly count: number; readonly breaks: boolean }
  | { readonly id: string; readonly kind: 'impact'; readonly text: string };

export interface Linked {
  readonly words: string | null;
  readonly node: GraphNode;
}

export interface GraphColumn {
  readonly head: Linked;
  readonly below: readonly Linked[];
}

const MOST_NODES = 12;

export function graphOf(path: AttackPath): readonly GraphColumn[] {
  const used = new Set<Component>();
  const stages = path.stages.map((stage) => {
    const components = path.components.filter((each) => each.rule_id === stage.rule_id && !used.has(each));
    for (const each of components) used.add(each);
    return { stage, components };
  });
  const rest = path.components.filter((each) => !used.has(each));
  const cutAtStage = path.stages.some(({ rule_id }) => rule_id === path.break_chain_rule);
  const counted = path.stages.length + path.components.length + 1 > MOST_NODES;
  const nodesOf = (owner: string, components: readonly Component[]): readonly GraphNode[] => {
    const breaks = (each: Component) => !cutAtStage && each.rule_id === path.break_chain_rule;
    if (counted && components.length > 1) {
      return [{ id: `${owner}-count`, kind: 'count', count: components.length, breaks: components.some(breaks) }];
    }
    return components.map((each) => ({
      id: `${owner}-${each.rule_id}-${each.finding.fingerprint}`,
      kind: 'finding',
      finding: each.finding,
      breaks: breaks(each),
    }));
  };
  const columns = stages.map(({ stage: { title, rule_id: rule }, components }, index): GraphColumn => {
    const id = `stage-${index + 1}`;
    const node = { id, kind: 'stage', number: index + 1, title, breaks: rule === path.break_chain_rule } as const;
    const words = index === 0 ? null : (places(stages[index - 1]?.components ?? [], components) ?? 'then');
    return { head: { words, node }, below: linked(nodesOf(id, components), 'because of') };
  });
  const impact = { id: 'impact', kind: 'impact', text: path.impact } as const;
  return [
    ...columns,
    { head: { words: 'ends in', node: impact }, below: linked(nodesOf('impact', rest), 'also needs') },
  ];
}

function places(before: readonly Component[], after: readonly Component[]): string | null {
  const [first, second] = [filesOf(before), filesOf(after)];
  if (first.length === 0 || second.length === 0) return null;
  return second.some((file) => first.includes(file)) ? 'same file' : 'other file';
}

function filesOf(components: readonly Component[]): string[] {
  return components.flatMap(({ finding: { file } }) => file ?? []);
}

function linked(nodes: readonly GraphNode[], words: string): readonly Linked[] {
  return nodes.map((node, index) => ({ words: index === 0 ? words : 'and', node }));
}
