import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';

type Component = AttackPath['components'][number];
type Finding = Component['finding'];

export type GraphNode =
  | {
      readonly id: string;
      readonly kind: 'stage';
      /** From 1. */
      readonly number: number;
      readonly title: string;
      readonly breaks: boolean;
    }
  | { readonly id: string; readonly kind: 'finding'; readonly finding: Finding; readonly breaks: boolean }
  | { readonly id: string; readonly kind: 'count'; readonly count: number; readonly breaks: boolean }
  | { readonly id: string; readonly kind: 'impact'; readonly text: string };

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly words: string;
}

/** Nodes that stand below each other: a stage, and the findings that make it possible. */
export type GraphColumn = readonly [head: GraphNode, ...below: readonly GraphNode[]];

export interface PathGraphModel {
  readonly columns: readonly GraphColumn[];
  readonly edges: readonly GraphEdge[];
}

/** With more nodes, the findings of a stage become their number. */
const MOST_NODES = 12;

/** Returns what the picture of an attack path shows, from the left to the right. */
export function graphOf(path: AttackPath): PathGraphModel {
  const used = new Set<Component>();
  const stages = path.stages.map((stage) => {
    const components = path.components.filter((each) => each.rule_id === stage.rule_id && !used.has(each));
    for (const each of components) used.add(each);
    return { stage, components };
  });
  const rest = path.components.filter((each) => !used.has(each));
  const cutAtStage = path.stages.some(({ rule_id }) => rule_id === path.break_chain_rule);
  const counted = path.stages.length + path.components.length + 1 > MOST_NODES;
  const below = (owner: string, components: readonly Component[]): readonly GraphNode[] => {
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
    const stage = { id, kind: 'stage', number: index + 1, title, breaks: rule === path.break_chain_rule } as const;
    return [stage, ...below(id, components)];
  });
  columns.push([{ id: 'impact', kind: 'impact', text: path.impact }, ...below('impact', rest)]);
  return { columns, edges: [...chain(columns), ...columns.flatMap(hangers)] };
}

function chain(columns: readonly GraphColumn[]): GraphEdge[] {
  return columns.slice(1).map((column, index) => {
    const before = columns[index];
    const [to] = column;
    const words = to.kind === 'impact' ? 'ends in' : (places(before, column) ?? 'then');
    return { from: before?.[0].id ?? '', to: to.id, words };
  });
}

/** Says whether the next stage happens in a file of the one before it; null where that is not known. */
function places(before: GraphColumn | undefined, after: GraphColumn): string | null {
  const [first, second] = [filesOf(before), filesOf(after)];
  if (first.length === 0 || second.length === 0) return null;
  return second.some((file) => first.includes(file)) ? 'same file' : 'other file';
}

function filesOf(column: readonly GraphNode[] = []): string[] {
  return column.flatMap((node) => (node.kind === 'finding' && node.finding.file !== null ? node.finding.file : []));
}

function hangers([head, ...below]: GraphColumn): GraphEdge[] {
  return below.map(({ id }, index) => ({
    from: below[index - 1]?.id ?? head.id,
    to: id,
    words: index > 0 ? 'and' : head.kind === 'impact' ? 'also needs' : 'because of',
  }));
}

export const GAP_BELOW = 40;
const LINE = 20;
const HEIGHTS: Readonly<Record<GraphNode['kind'], number>> = { stage: 86, finding: 84, count: 60, impact: 146 };

export function heightOf(node: GraphNode): number {
  return HEIGHTS[node.kind] + ('breaks' in node && node.breaks ? LINE : 0);
}

const MARGIN = 24;
const MOST_HEIGHT = 620;

/** Returns the height of the whole picture, in pixels. */
export function pictureHeight({ columns }: PathGraphModel): number {
  const heights = columns.map((column) =>
    column.reduce((sum, node) => sum + heightOf(node), GAP_BELOW * (column.length - 1)),
  );
  return Math.min(MOST_HEIGHT, Math.max(...heights) + MARGIN);
}
