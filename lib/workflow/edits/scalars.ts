import type { Text } from '../model/model.ts';
import type { Span } from '../text/source.ts';
import { spanInScalar, type YamlScalar } from '../yaml/parse.ts';
import type { TextEdit } from './edit.ts';
import { restOfLine } from './lines.ts';

/** Replaces a scalar with its quotes. Undefined for a block scalar or one repeated by an alias. */
export function replaceScalar({ node, span }: Text, value: string): TextEdit | undefined {
  return node.shared || isBlock(node) ? undefined : { span, text: value };
}

/**
 * Replaces a range of a scalar in any style; the replacement must need no quoting. Undefined for a scalar repeated by
 * an alias.
 */
export function replaceRange(
  { node }: Pick<Text, 'node'>,
  start: number,
  end: number,
  replacement: string,
): TextEdit | undefined {
  return node.shared ? undefined : { span: spanInScalar(node, start, end), text: replacement };
}

/** Replaces a range of a scalar that is written verbatim. Undefined for escapes, block scalars and aliases. */
export function replaceVerbatim(text: Text, start: number, end: number, replacement: string): TextEdit | undefined {
  const { node, span, value } = text;
  if (isBlock(node)) return undefined;
  const quotes = node.style === 'plain' ? 0 : 2;
  return span.end - span.start === value.length + quotes ? replaceRange(text, start, end, replacement) : undefined;
}

/** Replaces the inside of an expression's braces. Undefined if the file escapes it. */
export function replaceExpression(
  { node }: Text,
  { span, source }: { readonly span: Span; readonly source: string },
  replacement: string,
): TextEdit | undefined {
  const inner = { start: span.start + '${{'.length, end: span.end - '}}'.length };
  const written = node.origin.slice(inner.start, inner.end);
  return written.trim() === source ? { span: inner, text: ` ${replacement} ` } : undefined;
}

/** Replaces the only match of a pattern in a script's span. Undefined without exactly one match. */
export function replaceMatch(
  { node }: Pick<Text, 'node'>,
  span: Span,
  pattern: RegExp,
  replacement: string,
): TextEdit | undefined {
  if (node.shared) return undefined;
  const written = node.origin.slice(span.start, span.end);
  const match = pattern.exec(written);
  if (match === null || pattern.test(written.slice(match.index + match[0].length))) return undefined;
  const start = span.start + match.index;
  return { span: { start, end: start + match[0].length }, text: replacement };
}

export function append({ end }: Span, text: string): TextEdit {
  return { span: { start: end, end }, text };
}

/**
 * Adds a comment after a scalar, or replaces the part `outdated` of its comment. Undefined if another comment is there
 * or an alias repeats the scalar.
 */
export function setComment({ node, span }: Text, comment: string, outdated?: string): TextEdit | undefined {
  if (node.shared) return undefined;
  const rest = restOfLine(node.origin, span.end);
  if (outdated === undefined) return rest.trim() === '' ? append(span, ` # ${comment}`) : undefined;
  const hash = rest.indexOf('#');
  const index = hash === -1 ? -1 : rest.indexOf(outdated, hash);
  if (index === -1) return undefined;
  const start = span.end + index;
  return { span: { start, end: start + outdated.length }, text: comment };
}

export function stripFinalBreak({ node }: Pick<Text, 'node'>): TextEdit | undefined {
  const header = /^[|>]\+?(?=[ \t]*\r?\n)/.exec(node.origin.slice(node.span.start, node.span.start + 80))?.[0];
  if (header === undefined || node.shared) return undefined;
  return { span: { start: node.span.start + 1, end: node.span.start + header.length }, text: '-' };
}

function isBlock({ style }: Pick<YamlScalar, 'style'>): boolean {
  return style === 'literal' || style === 'folded';
}
