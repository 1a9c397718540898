import { type ExpressionNode, flowingFields } from '#lib/workflow/expressions/expression.ts';

const OBJECT = /^github\.event\.(?:comment|discussion|issue|pull_request|release|review|workflow_run)(?=\.)/;

const NEVER_EMPTY = /^(?:id|node_id|number|url|html_url|(?:base|head)\.(?:ref|sha)|head_sha|created_at|updated_at)$/;

/**
 * Like {@link flowingFields}, without operands of `||` that are never read: in `a.number || a.title` the number is set
 * whenever there is a title.
 */
export function reachedFields(node: ExpressionNode): ReturnType<typeof flowingFields> {
  return flowingFields(withoutShadowed(node));
}

function withoutShadowed(node: ExpressionNode): ExpressionNode {
  switch (node.type) {
    case 'or':
      return { ...node, args: reachedOperands(node.args) };
    case 'and':
      return { ...node, args: node.args.map(withoutShadowed) };
    case 'call':
      return { ...node, args: node.args.map(withoutShadowed) };
    case 'index':
      return { ...node, target: withoutShadowed(node.target) };
    case 'access':
    case 'compare':
    case 'literal':
    case 'not':
      return node;
  }
}

function reachedOperands(operands: readonly ExpressionNode[]): ExpressionNode[] {
  const certain = new Set<string>();
  const args: ExpressionNode[] = [];
  for (const arg of operands.flatMap(operandsOf)) {
    if (arg.type !== 'access') {
      args.push(withoutShadowed(arg));
      continue;
    }
    const path = arg.path.join('.');
    const object = OBJECT.exec(path)?.[0];
    if (certain.has(object ?? path)) continue;
    args.push(arg);
    if (path === 'github.event.number') certain.add('github.head_ref');
    if (object === undefined || !NEVER_EMPTY.test(path.slice(object.length + 1))) continue;
    certain.add(object);
    // It is set for these two events only, whose payload has a pull request.
    if (object === 'github.event.pull_request') certain.add('github.head_ref');
  }
  return args;
}

function operandsOf(node: ExpressionNode): readonly ExpressionNode[] {
  return node.type === 'or' ? node.args.flatMap(operandsOf) : [node];
}
