import { FeatureFlags } from '@actions/expressions/features';
import { ACTION_ROOT } from '@actions/workflow-parser/actions/action-constants';
import type { ObjectReader } from '@actions/workflow-parser/templates/object-reader';
import type { TemplateSchema } from '@actions/workflow-parser/templates/schema/index';
import { MappingDefinition } from '@actions/workflow-parser/templates/schema/mapping-definition';
import { OneOfDefinition } from '@actions/workflow-parser/templates/schema/one-of-definition';
import { PropertyDefinition } from '@actions/workflow-parser/templates/schema/property-definition';
import { StringDefinition } from '@actions/workflow-parser/templates/schema/string-definition';
import { TemplateContext, TemplateValidationErrors } from '@actions/workflow-parser/templates/template-context';
import { readTemplate } from '@actions/workflow-parser/templates/template-reader';
import {
  BooleanToken,
  type LiteralToken,
  MappingToken,
  NullToken,
  NumberToken,
  SequenceToken,
  StringToken,
} from '@actions/workflow-parser/templates/tokens/index';
import type { TokenRange } from '@actions/workflow-parser/templates/tokens/token-range';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { WORKFLOW_ROOT } from '@actions/workflow-parser/workflows/workflow-constants';
import type { Diagnostic } from '../text/diagnostic.ts';
import { MAX_DIAGNOSTICS_PER_FILE, MAX_EXPRESSIONS_PER_TEXT } from '../text/limits.ts';
import type { SourceFile, Span } from '../text/source.ts';
import type { YamlMapping, YamlNode, YamlScalar } from '../yaml/parse.ts';
import { isAccepted } from './fast-accept.ts';
import { readPublishedSchema } from './published-schemas.ts';

/**
 * Reports what the code host's schema and expression parser reject. The published schema lags behind the service, so
 * these are warnings.
 */
export function checkSchema(root: YamlMapping, source: SourceFile, kind: 'workflow' | 'action'): Diagnostic[] {
  const schema = kind === 'workflow' ? workflowSchema() : actionSchema();
  const type = kind === 'workflow' ? WORKFLOW_ROOT : ACTION_ROOT;
  return isAccepted(root, schema, type) ? [] : readWithReader(root, source, schema, type);
}

let completed: TemplateSchema | undefined;
let ofActions: TemplateSchema | undefined;

function actionSchema(): TemplateSchema {
  ofActions ??= readPublishedSchema('action');
  return ofActions;
}

/**
 * Adds newer keys to the published schema: `cache-mode` of workflows and jobs,
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax. Definitions in newer releases of the
 * schema win.
 */
export function workflowSchema(): TemplateSchema {
  if (completed !== undefined) return completed;
  const schema = readPublishedSchema('workflow');
  if (schema.definitions[CACHE_MODE] === undefined) {
    const modes = new OneOfDefinition(CACHE_MODE);
    for (const mode of ['read', 'write', 'write-only', 'none']) {
      const definition = new StringDefinition(`${CACHE_MODE}-${mode}`);
      definition.constant = mode;
      schema.definitions[definition.key] = definition;
      modes.oneOf.push(definition.key);
    }
    schema.definitions[CACHE_MODE] = modes;
    for (const name of [WORKFLOW_ROOT, 'job-factory']) {
      const owner = schema.definitions[name];
      if (!(owner instanceof MappingDefinition)) throw new RangeError(`the published schema has no mapping ${name}`);
      owner.properties[CACHE_MODE] ??= new PropertyDefinition(toToken(CACHE_MODE));
    }
  }
  completed = schema;
  return schema;
}

const CACHE_MODE = 'cache-mode';

function toToken(text: string): StringToken {
  return new StringToken(undefined, undefined, text, undefined);
}

export function readWithReader(
  root: YamlMapping,
  source: SourceFile,
  schema: TemplateSchema,
  type: string,
): Diagnostic[] {
  const context = new TemplateContext(
    new TemplateValidationErrors(MAX_DIAGNOSTICS_PER_FILE, 500),
    schema,
    new NoOperationTraceWriter(),
  );
  context.state['featureFlags'] = FEATURES;
  const fileId = context.getFileId(source.path);
  const reader = new TreeReader(root, fileId, source);
  const crowded = reader.crowdedScalar;
  if (crowded !== undefined) {
    return [{ severity: 'error', message: 'Too many expressions in one value to check them all.', span: crowded.span }];
  }
  readTemplate(context, type, reader, fileId);
  const ignored = type === ACTION_ROOT ? spansOfLooks(root) : [];
  return context.errors.getErrors().flatMap((error): Diagnostic[] => {
    const range = (error.range as OffsetRange | undefined)?.offsets ?? positionsToSpan(error.range, source);
    if (ACCEPTED_WITHOUT.test(error.rawMessage) && type === ACTION_ROOT) return [];
    if (range !== undefined && ignored.some(({ start, end }) => start <= range.start && range.end <= end)) return [];
    return [
      {
        severity: 'warning',
        message: `${error.rawMessage} (the code host may reject this file)`,
        ...(range === undefined ? {} : { span: range }),
      },
    ];
  });
}

/** The marketplace asks for a description; runners do not. */
const ACCEPTED_WITHOUT = /^Required property is missing: (?:description|name)$/;

function spansOfLooks(root: YamlMapping): Span[] {
  const branding = root.entries.get('branding')?.value;
  return branding === undefined ? [] : [branding.span];
}

const FEATURES = new FeatureFlags({ all: true });

function positionsToSpan(range: TokenRange | undefined, source: SourceFile): Diagnostic['span'] {
  if (range === undefined) return undefined;
  const start = source.offset(range.start);
  return { start, end: Math.max(start, source.offset(range.end)) };
}

class OffsetRange implements TokenRange {
  readonly offsets: Span;
  readonly #source: SourceFile;
  constructor(offsets: Span, source: SourceFile) {
    this.offsets = offsets;
    this.#source = source;
  }
  get start(): TokenRange['start'] {
    return this.#source.position(this.offsets.start);
  }
  get end(): TokenRange['end'] {
    return this.#source.position(this.offsets.end);
  }
}

/** Bounds the product of text length and number of expressions, since the reader scans a text once per expression. */
const MAX_EXPRESSION_WORK = 20_000_000;

function rawText(node: YamlScalar): string | undefined {
  if (!node.text.includes('${{')) return undefined;
  const block = node.style === 'literal' || node.style === 'folded';
  const start = block ? node.origin.indexOf('\n', node.span.start) + 1 : node.span.start;
  return node.origin.slice(start, node.span.end);
}

interface Event {
  readonly kind: 'literal' | 'sequence' | 'sequence-end' | 'mapping' | 'mapping-end';
  readonly node: YamlNode;
}

/** Feeds our tree to the code host's template reader, so that YAML is parsed once. */
class TreeReader implements ObjectReader {
  crowdedScalar: YamlScalar | undefined;
  readonly #events: Event[] = [];
  readonly #file: number;
  readonly #source: SourceFile;
  #next = 0;

  constructor(root: YamlMapping, file: number, source: SourceFile) {
    this.#file = file;
    this.#source = source;
    this.#push(root);
  }

  #push(node: YamlNode): void {
    if (node.kind === 'scalar') {
      this.#events.push({ kind: 'literal', node });
      const expressions = node.text.split('${{').length - 1;
      if (expressions > MAX_EXPRESSIONS_PER_TEXT || expressions * node.text.length > MAX_EXPRESSION_WORK) {
        this.crowdedScalar ??= node;
      }
      return;
    }
    this.#events.push({ kind: node.kind, node });
    if (node.kind === 'sequence') for (const item of node.items) this.#push(item);
    else {
      for (const entry of node.entries.values()) {
        this.#events.push({ kind: 'literal', node: entry.key });
        this.#push(entry.value);
      }
    }
    this.#events.push({ kind: node.kind === 'sequence' ? 'sequence-end' : 'mapping-end', node });
  }

  #take(kind: Event['kind']): YamlNode | undefined {
    const event = this.#events[this.#next];
    if (event?.kind !== kind) return undefined;
    this.#next += 1;
    return event.node;
  }

  allowLiteral(): LiteralToken | undefined {
    const node = this.#take('literal');
    return node === undefined ? undefined : this.#literal(node as YamlScalar);
  }

  #literal(node: YamlScalar): LiteralToken {
    const range = new OffsetRange(node.span, this.#source);
    if (node.value === null) return new NullToken(this.#file, range, undefined);
    if (typeof node.value === 'boolean') return new BooleanToken(this.#file, range, node.value, undefined);
    if (typeof node.value === 'number') return new NumberToken(this.#file, range, node.value, undefined);
    return new StringToken(this.#file, range, node.value, undefined, rawText(node));
  }

  allowSequenceStart(): SequenceToken | undefined {
    const node = this.#take('sequence');
    return node === undefined
      ? undefined
      : new SequenceToken(this.#file, new OffsetRange(node.span, this.#source), undefined);
  }

  allowSequenceEnd(): boolean {
    return this.#take('sequence-end') !== undefined;
  }

  allowMappingStart(): MappingToken | undefined {
    const node = this.#take('mapping');
    return node === undefined
      ? undefined
      : new MappingToken(this.#file, new OffsetRange(node.span, this.#source), undefined);
  }

  allowMappingEnd(): boolean {
    return this.#take('mapping-end') !== undefined;
  }

  validateStart(): void {}
  validateEnd(): void {}
}
