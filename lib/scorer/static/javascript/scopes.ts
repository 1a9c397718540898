import { childrenOf, nodeIn, nodesIn, type SyntaxNode, textIn } from './parse.ts';

export type Meaning =
  | { readonly kind: 'value'; readonly node: SyntaxNode; readonly scope: Scope }
  | { readonly kind: 'property'; readonly of: SyntaxNode; readonly name: string; readonly scope: Scope }
  | { readonly kind: 'import'; readonly module: string; readonly name: string };

export class Scope {
  readonly #parent: Scope | undefined;
  readonly #names = new Map<string, Meaning | 'unknown' | 'unset'>();

  constructor(parent: Scope | undefined) {
    this.#parent = parent;
  }

  /** A second declaration makes the meaning unknown; `unset` allows one assignment. */
  declare(name: string, meaning: Meaning | 'unknown' | 'unset'): void {
    this.#names.set(name, this.#names.has(name) ? 'unknown' : meaning);
  }

  assign(name: string, meaning: Meaning | 'unknown'): void {
    const scope = this.#holder(name);
    if (scope !== undefined) scope.#names.set(name, scope.#names.get(name) === 'unset' ? meaning : 'unknown');
  }

  lookUp(name: string): Meaning | 'free' | undefined {
    const scope = this.#holder(name);
    if (scope === undefined) return 'free';
    const meaning = scope.#names.get(name);
    return meaning === 'unknown' || meaning === 'unset' ? undefined : meaning;
  }

  #holder(name: string): Scope | undefined {
    if (this.#names.has(name)) return this;
    return this.#parent === undefined ? undefined : this.#parent.#holder(name);
  }
}

export interface Site {
  readonly node: SyntaxNode;
  readonly scope: Scope;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export function sitesOf(root: SyntaxNode, isWanted: (node: SyntaxNode) => boolean): Site[] {
  const sites: Site[] = [];
  const assignments: Site[] = [];
  const stack: Site[] = [{ node: root, scope: new Scope(undefined) }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, scope } = next;
    if (isWanted(node)) sites.push(next);
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') assignments.push(next);
    else declare(node, scope);
    const inner = FUNCTIONS.has(node.type) ? new Scope(scope) : scope;
    if (inner !== scope) for (const each of nodesIn(node, 'params')) declareUnknown(each, inner);
    for (const child of childrenOf(node)) stack.push({ node: child, scope: inner });
  }
  for (const { node, scope } of assignments) assign(node, scope);
  return sites.sort((a, b) => a.node.start - b.node.start || b.node.end - a.node.end);
}

function declare(node: SyntaxNode, scope: Scope): void {
  if (node.type === 'VariableDeclarator') {
    const target = nodeIn(node, 'id');
    const value = nodeIn(node, 'init');
    if (target !== undefined) declareTarget(target, value, scope);
  } else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    const id = textIn(nodeIn(node, 'id'), 'name');
    if (id !== undefined) scope.declare(id, 'unknown');
  } else if (node.type === 'CatchClause') {
    const param = nodeIn(node, 'param');
    if (param !== undefined) declareUnknown(param, scope);
  } else if (node.type === 'ImportDeclaration') {
    const module = textIn(nodeIn(node, 'source'), 'value') ?? '';
    for (const specifier of nodesIn(node, 'specifiers')) {
      const local = textIn(nodeIn(specifier, 'local'), 'name');
      const imported = nodeIn(specifier, 'imported');
      const name = textIn(imported, 'name') ?? textIn(imported, 'value') ?? '*';
      if (local !== undefined) scope.declare(local, { kind: 'import', module, name });
    }
  }
}

function declareTarget(target: SyntaxNode, value: SyntaxNode | undefined, scope: Scope): void {
  const name = textIn(target, 'name');
  if (target.type === 'Identifier' && name !== undefined) {
    scope.declare(name, value === undefined ? 'unset' : { kind: 'value', node: value, scope });
    return;
  }
  if (target.type !== 'ObjectPattern' || value === undefined) return declareUnknown(target, scope);
  for (const property of nodesIn(target, 'properties')) {
    const key = textIn(nodeIn(property, 'key'), 'name');
    const local = nodeIn(property, 'value');
    const own = textIn(local, 'name');
    if (property['computed'] !== true && local?.type === 'Identifier' && key !== undefined && own !== undefined) {
      scope.declare(own, { kind: 'property', of: value, name: key, scope });
    } else declareUnknown(property, scope);
  }
}

function declareUnknown(pattern: SyntaxNode, scope: Scope): void {
  const stack = [pattern];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const name = textIn(node, 'name');
    if (node.type === 'Identifier' && name !== undefined) scope.declare(name, 'unknown');
    else if (node.type === 'AssignmentPattern') {
      const left = nodeIn(node, 'left');
      if (left !== undefined) stack.push(left);
    } else if (node.type === 'Property') {
      const value = nodeIn(node, 'value');
      if (value !== undefined) stack.push(value);
    } else if (!FUNCTIONS.has(node.type)) for (const child of childrenOf(node)) stack.push(child);
  }
}

function assign(node: SyntaxNode, scope: Scope): void {
  const target = nodeIn(node, node.type === 'UpdateExpression' ? 'argument' : 'left');
  const name = textIn(target, 'name');
  if (target?.type !== 'Identifier' || name === undefined) return;
  const value = nodeIn(node, 'right');
  const plain = node.type === 'AssignmentExpression' && node['operator'] === '=' && value !== undefined;
  scope.assign(name, plain ? { kind: 'value', node: value, scope } : 'unknown');
}
