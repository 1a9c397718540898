import { Graph, layout } from '@dagrejs/dagre';
import { GAP_BELOW, type GraphNode, heightOf, type PathGraphModel } from './graph-model.ts';

export const NODE_WIDTH = 176;
const LABEL_WIDTH = 68;
const LABEL_HEIGHT = 20;

export interface Placed {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** Places the columns from the left to the right with room for the words between them; their heads stand in one line. */
export function placeNodes({ columns, edges }: PathGraphModel): readonly Placed[] {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', ranksep: 8, nodesep: 0 });
  for (const [head] of columns) graph.setNode(head.id, { width: NODE_WIDTH, height: heightOf(head) });
  for (const { from, to } of edges) {
    if (graph.hasNode(from) && graph.hasNode(to)) {
      graph.setEdge(from, to, { width: LABEL_WIDTH, height: LABEL_HEIGHT, labelpos: 'c' });
    }
  }
  layout(graph);
  return columns.flatMap(([head, ...below]) => {
    const x = graph.node(head.id).x - NODE_WIDTH / 2;
    let y = 0;
    return [head, ...below].map((node) => {
      const placed = { node, x, y, height: heightOf(node) };
      y += placed.height + GAP_BELOW;
      return placed;
    });
  });
}
