import { type Options, Parser } from 'acorn';
import { MAX_JAVASCRIPT, MAX_NODES, MAX_SCOPE_DEPTH } from '../limits.ts';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export type Parsed = { readonly root: SyntaxNode } | { readonly problem: 'too_large' | 'not_supported' };

class TooLarge extends Error {}

interface Internals {
  finishNode(node: object, type: string): object;
  enterScope(flags: number): void;
  exitScope(): void;
  declareName(): void;
  checkLocalExport(): void;
  validateRegExpFlags(): void;
  validateRegExpPattern(): void;
}

/**
 * Counts nodes and scopes while parsing. Omits checks that compare all names of a scope or all groups of a regular
 * expression: only the shape matters, and hostile files would make them quadratic.
 */
function boundedParser(): typeof Parser {
  let nodes = 0;
  let depth = 0;
  return Parser.extend((Base) => {
    const Loose = Base as unknown as new (...args: readonly unknown[]) => Internals;
    class Bounded extends Loose {
      override finishNode(node: object, type: string): object {
        nodes += 1;
        if (nodes > MAX_NODES) throw new TooLarge();
        return super.finishNode(node, type);
      }

      override enterScope(flags: number): void {
        depth += 1;
        if (depth > MAX_SCOPE_DEPTH) throw new TooLarge();
        super.enterScope(flags);
      }

      override exitScope(): void {
        depth -= 1;
        super.exitScope();
      }

      override declareName(): void {}
      override checkLocalExport(): void {}
      override validateRegExpFlags(): void {}
      override validateRegExpPattern(): void {}
    }
    return Bounded as unknown as typeof Parser;
  });
}

const OPTIONS: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
};

export function parseJavaScript(text: string): Parsed {
  if (text.length > MAX_JAVASCRIPT) return { problem: 'too_large' };
  const first = attempt(text, OPTIONS);
  // Only scripts may use `await` as a name.
  return 'problem' in first && first.problem === 'not_supported'
    ? attempt(text, { ...OPTIONS, allowAwaitOutsideFunction: false })
    : first;
}

function attempt(text: string, options: Options): Parsed {
  try {
    return { root: boundedParser().parse(text, options) as unknown as SyntaxNode };
  } catch (error) {
    if (error instanceof TooLarge || error instanceof RangeError) return { problem: 'too_large' };
    // acorn reports a stack exhausted by deep nesting as a syntax error.
    if (error instanceof SyntaxError)
      return { problem: /stack space/.test(error.message) ? 'too_large' : 'not_supported' };
    throw error;
  }
}

export function* childrenOf(node: SyntaxNode): Generator<SyntaxNode> {
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) for (const item of value) if (isNode(item)) yield item;
    if (isNode(value)) yield value;
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

export function nodeIn(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function nodesIn(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function textIn(node: SyntaxNode | undefined, field: string): string | undefined {
  const value = node?.[field];
  return typeof value === 'string' ? value : undefined;
}
