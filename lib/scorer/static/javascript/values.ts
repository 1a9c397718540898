import { MAX_LOOKUPS } from '../limits.ts';
import { nodeIn, nodesIn, type SyntaxNode, textIn } from './parse.ts';
import type { Meaning, Site } from './scopes.ts';

export const UNKNOWN_PART = '\u{FFFC}';

const MAX_DEPTH = 12;
const MAX_TEXT = 100_000;

export interface Callee {
  readonly name: string;
  readonly object: Site | undefined;
  readonly module: string | undefined;
  readonly free: boolean;
}

/** Resolves names and texts of one file within a common limit. Throws a RangeError beyond it. */
export class Values {
  #left = MAX_LOOKUPS;

  resolve(site: Site, depth = 0): Site {
    this.#spend();
    if (depth > MAX_DEPTH) return site;
    const { node, scope } = site;
    if (node.type === 'Identifier') {
      const meaning = scope.lookUp(textIn(node, 'name') ?? '');
      return meaning !== undefined && meaning !== 'free' && meaning.kind === 'value'
        ? this.resolve({ node: meaning.node, scope: meaning.scope }, depth + 1)
        : site;
    }
    const inner =
      node.type === 'AwaitExpression'
        ? nodeIn(node, 'argument')
        : node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression'
          ? nodeIn(node, 'expression')
          : node.type === 'SequenceExpression'
            ? nodesIn(node, 'expressions').at(-1)
            : undefined;
    return inner === undefined ? site : this.resolve({ node: inner, scope }, depth + 1);
  }

  meaningOf({ node, scope }: Site): Meaning | 'free' | undefined {
    this.#spend();
    return node.type === 'Identifier' ? scope.lookUp(textIn(node, 'name') ?? '') : undefined;
  }

  /** {@link UNKNOWN_PART} stands for unknown parts. */
  text(site: Site, depth = 0): string | undefined {
    const { node, scope } = this.resolve(site, depth);
    if (depth > MAX_DEPTH) return undefined;
    switch (node.type) {
      case 'Literal':
        return typeof node['value'] === 'string' ? node['value'] : undefined;
      case 'TemplateLiteral': {
        const expressions = nodesIn(node, 'expressions');
        let whole = '';
        for (const [index, quasi] of nodesIn(node, 'quasis').entries()) {
          const { cooked } = (quasi['value'] ?? {}) as { readonly cooked?: string | null };
          whole += cooked ?? '';
          const expression = expressions[index];
          if (expression !== undefined) whole += this.text({ node: expression, scope }, depth + 1) ?? UNKNOWN_PART;
          if (whole.length > MAX_TEXT) return undefined;
        }
        return whole;
      }
      case 'BinaryExpression':
        return node['operator'] === '+' ? this.#sum(node, scope, depth) : undefined;
      case 'CallExpression':
        return this.#joined(node, scope, depth);
      default:
        return undefined;
    }
  }

  /** Iterative, since a chain of `+` nests deeply to the left. */
  #sum(node: SyntaxNode, scope: Site['scope'], depth: number): string | undefined {
    const operands: SyntaxNode[] = [];
    let left: SyntaxNode | undefined = node;
    while (left?.type === 'BinaryExpression' && left['operator'] === '+') {
      const right = nodeIn(left, 'right');
      if (right !== undefined) operands.push(right);
      left = nodeIn(left, 'left');
    }
    if (left !== undefined) operands.push(left);
    let whole = '';
    let anything = false;
    for (const operand of operands.reverse()) {
      const part = this.text({ node: operand, scope }, depth + 1);
      anything ||= part !== undefined;
      whole += part ?? UNKNOWN_PART;
      if (whole.length > MAX_TEXT) return undefined;
    }
    return anything ? whole : undefined;
  }

  #joined(node: SyntaxNode, scope: Site['scope'], depth: number): string | undefined {
    const callee = nodeIn(node, 'callee');
    const list = callee && nodeIn(callee, 'object');
    if (callee === undefined || list?.type !== 'ArrayExpression' || propertyOf(callee) !== 'join') return undefined;
    const [glue] = nodesIn(node, 'arguments');
    const between = glue === undefined ? ',' : this.text({ node: glue, scope }, depth + 1);
    if (between === undefined) return undefined;
    const parts = nodesIn(list, 'elements').map(
      (element) => this.text({ node: element, scope }, depth + 1) ?? UNKNOWN_PART,
    );
    const whole = parts.join(between);
    return whole.length > MAX_TEXT ? undefined : whole;
  }

  calleeOf({ node, scope }: Site): Callee | undefined {
    const written = nodeIn(node, node.type === 'TaggedTemplateExpression' ? 'tag' : 'callee');
    if (written === undefined) return undefined;
    const site = { node: last(written), scope };
    const meaning = this.meaningOf(site);
    if (meaning === 'free')
      return { name: textIn(site.node, 'name') ?? '', object: undefined, module: undefined, free: true };
    if (meaning?.kind === 'import')
      return { name: meaning.name, object: undefined, module: meaning.module, free: false };
    if (meaning?.kind === 'property') {
      const object = { node: meaning.of, scope: meaning.scope };
      return { name: meaning.name, object, module: this.moduleOf(object), free: false };
    }
    const target = this.resolve(site);
    if (target.node.type === 'Identifier') {
      const name = textIn(target.node, 'name') ?? '';
      return { name, object: undefined, module: undefined, free: this.meaningOf(target) === 'free' };
    }
    if (target.node.type !== 'MemberExpression') return undefined;
    const object = nodeIn(target.node, 'object');
    const property = propertyOf(target.node) ?? this.#computed(target);
    if (object === undefined || property === undefined) return undefined;
    const holder = { node: object, scope: target.scope };
    return { name: property, object: holder, module: this.moduleOf(holder), free: false };
  }

  #computed({ node, scope }: Site): string | undefined {
    const property = nodeIn(node, 'property');
    return node['computed'] === true && property !== undefined ? this.text({ node: property, scope }) : undefined;
  }

  /** A module is loaded by `require('x')`, an import, or a bundler's call with a number or name. */
  moduleOf(site: Site, depth = 0): string | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const meaning = this.meaningOf(site);
    if (meaning !== undefined && meaning !== 'free' && meaning.kind === 'import') return meaning.module;
    const { node, scope } = this.resolve(site);
    if (node.type === 'ImportExpression') {
      const source = nodeIn(node, 'source');
      return source && this.text({ node: source, scope });
    }
    if (node.type !== 'CallExpression') return undefined;
    const [first, ...others] = nodesIn(node, 'arguments');
    const callee = nodeIn(node, 'callee');
    if (first === undefined || callee === undefined || others.length > 1) return undefined;
    if (first.type === 'CallExpression' || first.type === 'Identifier') {
      // Compilers wrap modules in helpers: `__importStar(require('x'))`.
      return /^_|interop|esm/i.test(textIn(last(callee), 'name') ?? propertyOf(last(callee)) ?? '')
        ? this.moduleOf({ node: first, scope }, depth + 1)
        : undefined;
    }
    const value = first.type === 'Literal' ? first['value'] : undefined;
    const name = textIn(callee, 'name');
    if (callee.type !== 'Identifier' || name === undefined) return undefined;
    if (typeof value === 'string') return /require|^\w{1,2}$/.test(name) ? value.replace(/^node:/, '') : undefined;
    return typeof value === 'number' ? String(value) : undefined;
  }

  #spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new RangeError('Too many lookups.');
  }
}

export function propertyOf(member: SyntaxNode): string | undefined {
  if (member.type !== 'MemberExpression') return undefined;
  const property = nodeIn(member, 'property');
  if (member['computed'] !== true) return textIn(property, 'name');
  return property?.type === 'Literal' ? textIn(property, 'value') : undefined;
}

function last(node: SyntaxNode): SyntaxNode {
  if (node.type === 'SequenceExpression') return nodesIn(node, 'expressions').at(-1) ?? node;
  return node.type === 'ChainExpression' ? (nodeIn(node, 'expression') ?? node) : node;
}
