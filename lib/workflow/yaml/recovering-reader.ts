import type { Alias, CST, Document, ParsedNode } from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Diagnostic } from '../text/diagnostic.ts';
import { MAX_YAML_DEPTH, MAX_YAML_TOKENS } from '../text/limits.ts';
import { type Placed, type ScalarStyle, TreeBuilder, type YamlDocument, type YamlNode } from './tree.ts';

/** Reads broken or rare YAML with error recovery: a partial tree with diagnostics, bounded in tokens and depth. */
export function recoverYaml(text: string): YamlDocument {
  const tokens = readTokens(text);
  if ('refusal' in tokens) return { root: undefined, diagnostics: [tokens.refusal] };
  const composer = new Composer({ uniqueKeys: false, version: '1.2', strict: true });
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokens.tokens, true, text.length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  const document = documents[0];
  const diagnostics: Diagnostic[] = [];
  if (document === undefined) return { root: undefined, diagnostics };
  for (const problem of document.errors) {
    // Only the first line, since the rest quotes the text at length.
    const message = problem.message.split('\n')[0] as string;
    diagnostics.push({ severity: 'error', message, span: { start: problem.pos[0], end: problem.pos[1] } });
  }
  if (documents.length > 1) {
    diagnostics.push({ severity: 'error', message: 'The file holds several YAML documents; the first is read.' });
  }
  if (document.contents === null) return { root: undefined, diagnostics };
  const root = convert(document.contents, new TreeBuilder(text, diagnostics)).node;
  return { root, diagnostics };
}

function readTokens(text: string): { tokens: CST.Token[] } | { refusal: Diagnostic } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_YAML_TOKENS) {
      return refuse(`The file has more than ${MAX_YAML_TOKENS} YAML tokens and is not read.`);
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_YAML_DEPTH) {
      return refuse(`The file nests deeper than ${MAX_YAML_DEPTH} levels and is not read.`);
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function refuse(message: string): { refusal: Diagnostic } {
  return { refusal: { severity: 'error', message } };
}

function convert(node: ParsedNode, builder: TreeBuilder): Placed {
  const [start, end] = node.range;
  if (isAlias(node)) return builder.alias(node.source, { start, end });
  const converted = build(node, builder);
  if (node.anchor !== undefined) builder.anchor(node.anchor, converted);
  return { node: converted, end: converted.span.end };
}

function build(node: Exclude<ParsedNode, Alias.Parsed>, builder: TreeBuilder): YamlNode {
  const [start, end] = node.range;
  if (isScalar(node)) {
    const style = SCALAR_STYLES[node.type ?? 'PLAIN'] ?? 'plain';
    return builder.scalar(node.value, node.source ?? '', style, { start, end });
  }
  const closed = node.flow === true ? end : undefined;
  if (isSeq(node)) {
    const items = node.items.map((item) => convert(item, builder));
    return builder.sequence(items, start, closed);
  }
  if (!isMap(node)) throw new TypeError('unknown YAML node');
  const pairs = node.items.map((pair): [Placed, Placed] => {
    const key = convert(pair.key, builder);
    if (pair.value !== null) return [key, convert(pair.value, builder)];
    const after = key.end;
    return [key, { node: builder.empty(after), end: after }];
  });
  return builder.mapping(pairs, start, closed);
}

const SCALAR_STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};
