import { Lexer, Parser } from '@actions/expressions';
import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast';
import { wellKnownFunctions } from '@actions/expressions/funcs';
import type { Text } from '../model/model.ts';
import { MAX_EXPRESSION_LENGTH, MAX_EXPRESSIONS_PER_TEXT } from '../text/limits.ts';
import type { Span } from '../text/source.ts';
import { offsetInScalar } from '../yaml/parse.ts';
import { CONTEXTS, STATUS_FUNCTIONS } from './names.ts';
import { readPlainExpression, withKey } from './plain-expression.ts';
import type { CompareOperator, ExpressionNode } from './syntax-tree.ts';

export type { ExpressionNode } from './syntax-tree.ts';

export interface Expression {
  readonly source: string;
  readonly span: Span;
  readonly range: Span;
  readonly node: ExpressionNode | undefined;
  readonly error: string | undefined;
}

const FUNCTIONS = [
  ...Object.values(wellKnownFunctions),
  ...STATUS_FUNCTIONS.map((name) => ({ name, minArgs: 0, maxArgs: Number.MAX_SAFE_INTEGER })),
];

const expressionsByScalar = new WeakMap<object, readonly Expression[]>();

/** Returns each `${{ … }}` of a text in order, at most {@link MAX_EXPRESSIONS_PER_TEXT}. */
export function expressionsIn(text: Text): readonly Expression[] {
  if (!text.value.includes('${{')) return [];
  let found = expressionsByScalar.get(text.node);
  if (found === undefined) {
    found = findExpressions(text);
    expressionsByScalar.set(text.node, found);
  }
  return found;
}

function findExpressions(text: Text): Expression[] {
  const { value, node } = text;
  const found: Expression[] = [];
  let from = value.indexOf('${{');
  while (from !== -1 && found.length < MAX_EXPRESSIONS_PER_TEXT) {
    const end = closingFence(value, from + 3);
    if (end === -1) break;
    const range = { start: from, end };
    found.push(makeExpression(value.slice(from + 3, end - 2), range, fileSpan(node, range)));
    from = value.indexOf('${{', end);
  }
  return found;
}

function closingFence(value: string, from: number): number {
  const limit = Math.min(value.length, from + MAX_EXPRESSION_LENGTH);
  let quoted = false;
  for (let index = from; index < limit; index += 1) {
    const character = value[index];
    if (character === "'") quoted = !quoted;
    else if (!quoted && character === '}' && value[index + 1] === '}') return index + 2;
  }
  return -1;
}

function fileSpan(node: Text['node'], range: Span): Span {
  return { start: offsetInScalar(node, range.start), end: offsetInScalar(node, range.end - 1) + 1 };
}

/**
 * Parses an `if` value with or without braces. Text around the braces makes it always true; its node is undefined then.
 */
export function conditionOf(text: Text): Expression {
  const fenced = expressionsIn(text);
  // A block scalar's line break counts as text around the braces.
  const block = text.node.style === 'literal' || text.node.style === 'folded';
  const trimmed = block && fenced.length > 0 ? text.value : text.value.trim();
  const whole = { start: 0, end: text.value.length };
  if (fenced.length === 0) return makeExpression(trimmed, whole, text.span);
  const only = fenced[0] as Expression;
  if (fenced.length === 1 && text.value.slice(only.range.start, only.range.end) === trimmed) return only;
  return { source: trimmed, span: text.span, range: whole, node: undefined, error: 'text around the expression' };
}

function makeExpression(raw: string, range: Span, span: Span): Expression {
  const source = raw.trim();
  const parsed = parseExpression(source);
  return { source, span, range, node: parsed.node, error: parsed.error };
}

interface Parsed {
  readonly node: ExpressionNode | undefined;
  readonly error: string | undefined;
}

const MAX_CACHED = 4_000;
const cache = new Map<string, Parsed>();

export function parseExpression(source: string): Parsed {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const parsed = parseUncached(source);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(source, parsed);
  return parsed;
}

function parseUncached(source: string): Parsed {
  const plain = readPlainExpression(source);
  return plain === undefined ? parseWithLibrary(source) : { node: plain, error: undefined };
}

export function parseWithLibrary(source: string): Parsed {
  if (source === '') return { node: undefined, error: 'empty expression' };
  if (source.length > MAX_EXPRESSION_LENGTH) return { node: undefined, error: 'expression too long' };
  try {
    const tree = new Parser(new Lexer(source).lex().tokens, CONTEXTS, FUNCTIONS).parse();
    return { node: simplify(tree), error: undefined };
  } catch (error) {
    return { node: undefined, error: error instanceof Error ? error.message : 'invalid expression' };
  }
}

function simplify(tree: Expr): ExpressionNode {
  if (tree instanceof Grouping) return simplify(tree.group);
  if (tree instanceof Literal) return { type: 'literal', value: literalValue(tree) };
  if (tree instanceof Unary) return { type: 'not', arg: simplify(tree.expr) };
  if (tree instanceof Binary) {
    return {
      type: 'compare',
      operator: tree.operator.lexeme as CompareOperator,
      args: [simplify(tree.left), simplify(tree.right)],
    };
  }
  if (tree instanceof Logical) {
    const args = tree.args.map(simplify);
    return { type: tree.operator.lexeme === '&&' ? 'and' : 'or', args };
  }
  if (tree instanceof FunctionCall) {
    return { type: 'call', name: tree.functionName.lexeme.toLowerCase(), args: tree.args.map(simplify) };
  }
  if (tree instanceof ContextAccess) return { type: 'access', path: [tree.name.lexeme.toLowerCase()], indexes: [] };
  if (tree instanceof IndexAccess) return simplifyIndex(tree);
  throw new TypeError('unknown expression node');
}

function simplifyIndex(tree: IndexAccess): ExpressionNode {
  const key: ExpressionNode = tree.index instanceof Star ? { type: 'literal', value: '*' } : simplify(tree.index);
  return withKey(simplify(tree.expr), key);
}

function literalValue(tree: Literal): string | number | boolean | null {
  const token = tree.token;
  if (typeof token.value === 'string' || typeof token.value === 'number') return token.value;
  if (token.lexeme === 'true' || token.lexeme === 'false') return token.lexeme === 'true';
  return token.lexeme === 'null' ? null : tree.literal.coerceString();
}

export function nodesOf(node: ExpressionNode): readonly ExpressionNode[] {
  let nodes = nodesByRoot.get(node);
  if (nodes === undefined) {
    const found: ExpressionNode[] = [];
    collectNodes(node, found);
    nodes = found;
    nodesByRoot.set(node, nodes);
  }
  return nodes;
}

const nodesByRoot = new WeakMap<ExpressionNode, readonly ExpressionNode[]>();

function collectNodes(node: ExpressionNode, found: ExpressionNode[]): void {
  found.push(node);
  for (const child of childrenOf(node)) collectNodes(child, found);
}

function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.type) {
    case 'literal':
      return [];
    case 'access':
      return node.indexes;
    case 'not':
      return [node.arg];
    case 'index':
      return [node.target, node.key];
    case 'call':
    case 'compare':
    case 'and':
    case 'or':
      return node.args;
  }
}

export function accessedPaths(node: ExpressionNode): string[] {
  const paths: string[] = [];
  for (const child of nodesOf(node)) if (child.type === 'access') paths.push(child.path.join('.'));
  return paths;
}

type AccessNode = ExpressionNode & { type: 'access' };

/**
 * Returns the accesses whose text can become part of the value. Excludes what is only compared, negated or tested; `a
 * && b` yields only `b`, since a falsy `a` has no text.
 */
export function flowingAccesses(node: ExpressionNode): AccessNode[] {
  return flowsOf(node).map(({ access }) => access);
}

/** Returns {@link flowingAccesses} with the fields read from each: `a.b` in `fromJSON(env.X).a.b`, `*` for an unknown one. */
export function flowingFields(node: ExpressionNode): { readonly path: readonly string[]; readonly fields: string }[] {
  return flowsOf(node).map(({ access: { path }, fields }) => ({ path, fields }));
}

interface Flow {
  readonly access: AccessNode;
  readonly fields: string;
}

function flowsOf(node: ExpressionNode): Flow[] {
  switch (node.type) {
    case 'access':
      return [{ access: node, fields: '' }];
    case 'literal':
    case 'compare':
    case 'not':
      return [];
    case 'index': {
      const key = node.key.type === 'literal' ? String(node.key.value) : '*';
      return flowsOf(node.target).map(({ access, fields }) => ({
        access,
        fields: fields === '' ? key : `${fields}.${key}`,
      }));
    }
    case 'and':
      return flowsOf(node.args.at(-1) as ExpressionNode);
    case 'or':
      return node.args.flatMap(flowsOf);
    case 'call':
      if (node.name === 'case') {
        return node.args.filter((_, index) => index % 2 === 1 || index === node.args.length - 1).flatMap(flowsOf);
      }
      return ['format', 'join', 'tojson', 'fromjson'].includes(node.name) ? node.args.flatMap(flowsOf) : [];
  }
}
