import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { Span } from '../text/source.ts';
import { FILLER } from './shell.ts';

/**
 * How to write a variable in place of a text. `certain`: equivalent for every harmless text; otherwise only for single
 * words.
 */
export interface Replacement {
  readonly range: Span;
  readonly write: (name: string) => string;
  readonly certain: boolean;
}

const INTERPRETERS: ReadonlySet<string> = new Set(
  (
    'awk bash busybox chroot cmd dash deno docker eval expect find fish gawk git-filter-repo groovy jq julia kubectl ' +
    'lua mawk mysql nix-shell node nodejs npx osascript parallel perl php podman powershell psql pwsh python python2 ' +
    'python3 Rscript ruby script sed sh source sqlite3 ssh su sudo tclsh trap tsx watch xargs yq zsh .'
  ).split(' '),
);

const READERS: ReadonlySet<string> = new Set(['cat', 'read', 'tee', 'mapfile', 'readarray']);

/**
 * Returns how a variable can replace a text in a POSIX script; undefined in another language, a pattern, or single
 * quotes with special characters. `masked` has the text replaced by neutral characters.
 */
export function shellReplacement(masked: string, range: Span, declared: boolean): Replacement | undefined {
  const chain = chainTo(treeOf(masked), range);
  if (chain === undefined || !chain.some(({ type }) => type === 'Word' || type === 'HereDocBody')) return undefined;
  // A preceding backslash, `$` or backtick would consume the variable's `$`.
  if (/[\\$`]$/.test(masked.slice(0, range.start))) return undefined;
  if (chain.some((node) => isOpaque(node, masked) || isInterpreted(node, range))) return undefined;
  return replacementIn(chain, masked, range, declared);
}

let latest: { readonly masked: string; readonly tree: SyntaxNode } | undefined;

function treeOf(masked: string): SyntaxNode {
  if (latest?.masked !== masked) latest = { masked, tree: parse(masked) };
  return latest.tree;
}

function replacementIn(
  chain: readonly SyntaxNode[],
  masked: string,
  range: Span,
  declared: boolean,
): Replacement | undefined {
  const own = chain.slice(chain.findLastIndex(({ type }) => type === 'CommandExpansion') + 1);
  const plain = (name: string): string => `\${${name}}`;
  const quoted = own.findLast(({ type }) => type === 'SingleQuoted' || type === 'DoubleQuoted');
  const body = own.find((node) => node.type === 'HereDocBody');
  if (body !== undefined) {
    const text = masked.slice(body.pos, body.end);
    return /[$`\\]/.test(text) ? undefined : { range, write: plain, certain: true };
  }
  if (quoted?.type === 'DoubleQuoted') return { range, write: plain, certain: true };
  if (quoted?.type === 'SingleQuoted') return unquoteSingle(own, quoted, masked, range);
  const parent = own.findLast(({ type }) => type !== 'Word' && type !== 'Literal');
  if (parent === undefined) return undefined;
  const word = own.findLast((node) => node.type === 'Word');
  if (parent.type === 'Assignment') {
    const command = own.findLast((node) => node.type === 'Command');
    const first = command?.type === 'Command' && command.name === undefined;
    // Outside bash, arguments of `export` are split like any others.
    return { range, write: plain, certain: first || !declared };
  }
  const whole = parent.type === 'TestBinary' || parent.type === 'TestUnary';
  if (whole || (parent.type === 'Case' && parent.word === word)) return { range, write: plain, certain: true };
  if (parent.type !== 'Command' || word === undefined || parent.name === word) return undefined;
  return { range, write: (name) => `"\${${name}}"`, certain: false };
}

/** Rewrites `'a ${{ x }} b'` to `"a ${X} b"` if nothing in it is special in double quotes. */
function unquoteSingle(
  own: readonly SyntaxNode[],
  quoted: SyntaxNode,
  masked: string,
  range: Span,
): Replacement | undefined {
  const text = masked.slice(quoted.pos + 1, quoted.end - 1);
  const whole = { start: quoted.pos, end: quoted.end };
  const word = own.findLast((node) => node.type === 'Word');
  if (word?.pos !== whole.start || word.end !== whole.end || /["\\`$!\n]/.test(text)) return undefined;
  // Another expression in the same quotes would be replaced twice.
  if (text.split(FILLER).length - 1 !== range.end - range.start) return undefined;
  const [before, after] = [masked.slice(whole.start + 1, range.start), masked.slice(range.end, whole.end - 1)];
  return { range: whole, write: (name) => `"${before}\${${name}}${after}"`, certain: true };
}

const OPAQUE: ReadonlySet<string> = new Set([
  'AnsiCQuoted',
  'ArithmeticCommand',
  'ArithmeticExpansion',
  'ArithmeticFor',
  'ArrayValue',
  'BraceExpansion',
  'ExtendedGlob',
  'Glob',
  'LocaleString',
  'ParameterExpansion',
  'ProcessSubstitution',
]);

function isOpaque(node: SyntaxNode, masked: string): boolean {
  if (node.type === 'CommandExpansion') return masked[node.pos] === '`';
  return OPAQUE.has(node.type);
}

function isInterpreted(node: SyntaxNode, { start }: Span): boolean {
  if (node.type === 'Pipeline') {
    const own = node.commands.find((command) => command.pos <= start && start < command.end);
    const after = node.commands.slice(own === undefined ? 0 : node.commands.indexOf(own) + 1);
    return after.some((command) => command.type !== 'Command' || INTERPRETERS.has(programOf(command.name?.value)));
  }
  if (node.type !== 'Command') return false;
  const words = [node.name, ...node.args].map((word) => (word?.type === 'Word' ? word.value : ''));
  const here = node.redirects.find((redirect) => redirect.type === 'HereDoc' && redirect.body.pos <= start);
  if (here?.type === 'HereDoc' && start < here.body.end) {
    const toFile = node.redirects.some((redirect) => redirect.type === 'Redirect');
    return here.delimiter?.quoted === true || toFile || !READERS.has(programOf(node.name?.value));
  }
  return words.slice(0, 3).some((word) => INTERPRETERS.has(programOf(word)));
}

function programOf(word: string | undefined): string {
  return word?.split('/').at(-1) ?? '';
}

/** A here-document's body is outside its command. */
function chainTo(root: SyntaxNode, { start, end }: Span): SyntaxNode[] | undefined {
  const chain: SyntaxNode[] = [];
  const visit = (node: SyntaxNode): boolean => {
    let deeper = false;
    chain.push(node);
    forEachChild(node, (child) => {
      if (!deeper) deeper = visit(child);
    });
    if (deeper) return true;
    if (node.type !== 'Script' && node.pos <= start && end <= node.end && isText(node)) return true;
    chain.pop();
    return false;
  };
  return visit(root) ? chain : undefined;
}

function isText({ type }: SyntaxNode): boolean {
  return ['Word', 'Literal', 'SingleQuoted', 'DoubleQuoted', 'HereDocBody'].includes(type) || OPAQUE.has(type);
}
