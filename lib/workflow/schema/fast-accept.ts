import { wellKnownFunctions } from '@actions/expressions/funcs';
import { splitAllowedContext } from '@actions/workflow-parser/templates/allowed-context';
import { DefinitionInfo } from '@actions/workflow-parser/templates/schema/definition-info';
import { DefinitionType } from '@actions/workflow-parser/templates/schema/definition-type';
import type { TemplateSchema } from '@actions/workflow-parser/templates/schema/index';
import type { MappingDefinition } from '@actions/workflow-parser/templates/schema/mapping-definition';
import type { ScalarDefinition } from '@actions/workflow-parser/templates/schema/scalar-definition';
import type { SequenceDefinition } from '@actions/workflow-parser/templates/schema/sequence-definition';
import { StringDefinition } from '@actions/workflow-parser/templates/schema/string-definition';
import {
  BooleanToken,
  ExpressionToken,
  type LiteralToken,
  NullToken,
  NumberToken,
  StringToken,
} from '@actions/workflow-parser/templates/tokens/index';
import { type ExpressionNode, nodesOf, parseExpression } from '../expressions/expression.ts';
import { MAX_EXPRESSIONS_PER_TEXT } from '../text/limits.ts';
import type { YamlMapping, YamlNode, YamlScalar } from '../yaml/parse.ts';

/**
 * True if the code host's schema certainly accepts a tree. Walks the same schema with memoized lookups, many times
 * faster than the template reader, which most files then do not need.
 */
export function isAccepted(root: YamlMapping, schema: TemplateSchema, type: string): boolean {
  let shape = roots.get(schema);
  if (shape === undefined) {
    shape = new Shape(new DefinitionInfo(schema, type), schema);
    roots.set(schema, shape);
  }
  return accepts(root, shape);
}

const roots = new WeakMap<TemplateSchema, Shape>();

class Shape {
  readonly scalars: readonly ScalarDefinition[];
  readonly anyText: boolean;
  readonly sequence: SequenceDefinition | undefined;
  readonly mappings: readonly MappingDefinition[];
  readonly allowedContext: string[];
  readonly contexts: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, { readonly minArgs: number; readonly maxArgs: number }>;
  readonly expressions: Set<string>;
  readonly #info: DefinitionInfo;
  readonly #schema: TemplateSchema;
  readonly #children = new Map<string, Shape>();
  readonly #values = new Map<string, readonly Shape[] | undefined>();

  constructor(info: DefinitionInfo, schema: TemplateSchema) {
    this.#info = info;
    this.#schema = schema;
    this.scalars = info.getScalarDefinitions();
    this.anyText = this.scalars.some((scalar) => scalar instanceof StringDefinition && scalar.constant === '');
    this.sequence = info.getDefinitionsOfType(DefinitionType.Sequence)[0] as SequenceDefinition | undefined;
    this.mappings = info.getDefinitionsOfType(DefinitionType.Mapping) as MappingDefinition[];
    this.allowedContext = info.allowedContext;
    const { namedContexts, functions } = splitAllowedContext(this.allowedContext);
    this.contexts = new Set(namedContexts.map((name) => name.toLowerCase()));
    this.functions = new Map(functions.map((each) => [each.name.toLowerCase(), each]));
    this.expressions = expressionsAllowedBy(this.allowedContext);
  }

  child(type: string): Shape {
    let child = this.#children.get(type);
    if (child === undefined) {
      child = new Shape(new DefinitionInfo(this.#info, type), this.#schema);
      this.#children.set(type, child);
    }
    return child;
  }

  valuesOf(entries: YamlMapping['entries']): readonly Shape[] | undefined {
    let names = '';
    for (const [name, { key }] of entries) {
      // Keys that are not text, or that would collide in the memo, bypass it.
      if (typeof key.value !== 'string' || name.includes('\n')) return shapesOfValues(entries, this);
      names += `${name}\n`;
    }
    if (this.#values.has(names)) return this.#values.get(names);
    const shapes = shapesOfValues(entries, this);
    if (this.#values.size < MAX_KEY_LISTS && names.length <= MAX_KEYS_LENGTH) this.#values.set(names, shapes);
    return shapes;
  }

  match(definitions: MappingDefinition[], key: string): string | undefined {
    return this.#schema.matchPropertyAndFilter(definitions, key)?.type;
  }
}

const MAX_REMEMBERED = 4_000;
const MAX_KEY_LISTS = 200;
const MAX_KEYS_LENGTH = 200;
const expressionsByContext = new Map<string, Set<string>>();

function expressionsAllowedBy(context: readonly string[]): Set<string> {
  const name = context.join();
  let expressions = expressionsByContext.get(name);
  if (expressions === undefined) {
    expressions = new Set();
    expressionsByContext.set(name, expressions);
  }
  return expressions;
}

function accepts(node: YamlNode, shape: Shape): boolean {
  if (node.kind === 'scalar') return acceptsScalar(node, shape);
  if (node.kind === 'mapping') return acceptsMapping(node, shape);
  const { sequence } = shape;
  if (sequence === undefined) return false;
  const item = shape.child(sequence.itemType);
  return node.items.every((each) => accepts(each, item));
}

function acceptsScalar(node: YamlScalar, shape: Shape): boolean {
  if (node.text.includes('${{')) return acceptsExpressions(node, shape);
  return acceptsText(node.value, shape) || acceptsLiteral(toToken(node), shape);
}

function acceptsText(value: YamlScalar['value'], shape: Shape): boolean {
  return shape.anyText && typeof value === 'string' && value !== '';
}

function acceptsLiteral(literal: LiteralToken, shape: Shape): boolean {
  if (shape.scalars.some((scalar) => scalar.isMatch(literal))) return true;
  if (literal instanceof StringToken) return false;
  const text = toStringToken(literal.toString());
  return shape.scalars.some((scalar) => scalar.isMatch(text));
}

function toToken({ value }: YamlScalar): LiteralToken {
  if (value === null) return new NullToken(undefined, undefined, undefined);
  if (typeof value === 'boolean') return new BooleanToken(undefined, undefined, value, undefined);
  if (typeof value === 'number') return new NumberToken(undefined, undefined, value, undefined);
  return toStringToken(value);
}

function toStringToken(value: string): StringToken {
  return new StringToken(undefined, undefined, value, undefined);
}

function acceptsMapping({ entries }: YamlMapping, shape: Shape): boolean {
  const values = shape.valuesOf(entries);
  if (values === undefined) return false;
  let index = 0;
  for (const { value } of entries.values()) {
    if (!accepts(value, values[index] as Shape)) return false;
    index += 1;
  }
  return true;
}

function shapesOfValues(entries: YamlMapping['entries'], shape: Shape): Shape[] | undefined {
  const definitions = [...shape.mappings];
  const [first] = definitions;
  if (first === undefined) return undefined;
  const { looseKeyType, looseValueType } = first;
  const seen = new Set<string>();
  const shapes: Shape[] = [];
  for (const [name, { key }] of entries) {
    // The reader looks names up in plain objects, which have inherited properties.
    if (typeof key.value !== 'string' || name.includes('${{') || name in Object.prototype) return undefined;
    const upper = name.toUpperCase();
    if (seen.has(upper)) return undefined;
    seen.add(upper);
    const type = shape.match(definitions, name);
    if (type === undefined) {
      if (!looseKeyType) return undefined;
      const keys = shape.child(looseKeyType);
      if (!acceptsText(name, keys) && !acceptsLiteral(toStringToken(name), keys)) return undefined;
    }
    shapes.push(shape.child(type ?? looseValueType));
  }
  const [only] = definitions;
  if (definitions.length > 1 || only === undefined) return undefined;
  for (const name in only.properties) {
    if (only.properties[name]?.required === true && !seen.has(name.toUpperCase())) return undefined;
  }
  return shapes;
}

function acceptsExpressions(node: YamlScalar, shape: Shape): boolean {
  if (shape.allowedContext.length === 0) return false;
  const block = node.style === 'literal' || node.style === 'folded';
  const written = node.origin.slice(node.span.start, node.span.end);
  const text = block ? written.slice(written.indexOf('\n') + 1) : node.text;
  if (!block && written.includes('\n')) return false;
  let at = text.indexOf('${{');
  for (let count = 0; at !== -1; count += 1) {
    const end = closingFence(text, at + 3);
    if (end === -1 || count === MAX_EXPRESSIONS_PER_TEXT) return false;
    if (!isValidExpression(text.slice(at + 3, end - 2).trim(), shape)) return false;
    at = text.indexOf('${{', end);
  }
  return true;
}

function closingFence(text: string, from: number): number {
  let quoted = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (character === "'") quoted = !quoted;
    else if (!quoted && character === '}' && text[index - 1] === '}') return index + 1;
  }
  return -1;
}

function isValidExpression(source: string, shape: Shape): boolean {
  const { expressions, allowedContext } = shape;
  if (expressions.has(source)) return true;
  // The reader does not treat a lone string or `insert` as an expression.
  if (source === '' || source.startsWith("'") || source.startsWith('insert')) return false;
  const { node } = parseExpression(source);
  if (node === undefined || !keepsTo(node, shape)) {
    try {
      ExpressionToken.validateExpression(source, allowedContext);
    } catch {
      return false;
    }
  }
  if (expressions.size >= MAX_REMEMBERED) expressions.clear();
  expressions.add(source);
  return true;
}

function keepsTo(root: ExpressionNode, { contexts, functions }: Shape): boolean {
  for (const node of nodesOf(root)) {
    if (node.type === 'access' && !contexts.has(node.path[0] ?? '')) return false;
    if (node.type !== 'call' || Object.hasOwn(wellKnownFunctions, node.name)) continue;
    const known = functions.get(node.name);
    if (known === undefined || node.args.length < known.minArgs || node.args.length > known.maxArgs) return false;
  }
  return true;
}
