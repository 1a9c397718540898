export type ExpressionNode =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /**
   * `github.event.commits[0].message` is `['github', 'event', 'commits', '*', 'message']`: lower case, any index is
   * `*`.
   */
  | { readonly type: 'access'; readonly path: readonly string[]; readonly indexes: readonly ExpressionNode[] }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly ExpressionNode[] }
  | { readonly type: 'index'; readonly target: ExpressionNode; readonly key: ExpressionNode }
  | { readonly type: 'compare'; readonly operator: CompareOperator; readonly args: readonly ExpressionNode[] }
  | { readonly type: 'not'; readonly arg: ExpressionNode }
  | { readonly type: 'and' | 'or'; readonly args: readonly ExpressionNode[] };

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';
