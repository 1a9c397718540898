import { oneLine } from './visible.ts';

export function escapeText(text: string): string {
  return escapeLine(oneLine(text));
}

/** Escapes repository text and breaks GitHub's automatic links: URLs, mentions, issues and commits. */
export function escapeForeign(text: string): string {
  const broken = LINK_STARTS.reduce((line, start) => line.replace(start, `$&${BREAK}`), oneLine(text));
  return escapeLine(broken).replaceAll(BREAK, '&#8203;');
}

export function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** Our own text, in which backticks enclose code. */
export function escapeProse(text: string): string {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return escapeText(text);
  return parts.map((part, index) => (index % 2 === 0 ? escapeText(part) : codeSpan(part))).join('');
}

/** A zero-width space, which {@link oneLine} removes from all input. */
const BREAK = '\u200B';

/** https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls */
const LINK_STARTS: readonly RegExp[] = [
  /(?:https?|ftp):(?=\/\/)/gi,
  /www(?=\.)/gi,
  /(?<!\w)@(?=\w)|@(?=[\w.-]*\.[\w-]*[a-z]|[\da-f]{7})/gi,
  /#(?=\d)/g,
  /GH-(?=\d)/gi,
];

/**
 * Escapes markup inside a line. Brackets and others matter only after these; list marks, headings and rules only at the
 * start of a line, where no text stands.
 */
function escapeLine(line: string): string {
  return line
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replace(/[\\`*[\]<>|~@$]/g, (character) => ENTITIES[character] ?? `\\${character}`)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '@': '&#64;' };
