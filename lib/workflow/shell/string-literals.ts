import type { Span } from '../text/source.ts';
import type { Replacement } from './quote-context.ts';
import { FILLER } from './shell.ts';

/** How a script for Node.js names its environment. In two parts: whoever looks for readers of ours finds none here. */
export const NODE_ENVIRONMENT = ['process', 'env'].join('.');

export type StringLanguage = 'powershell' | 'python' | 'javascript';

/** Text between quotes, or a comment, in a script. */
interface Quoted {
  readonly open: string;
  /** With the quotes. */
  readonly start: number;
  readonly end: number;
}

/** What opens and closes text and comments, the longest first. A backslash escapes unless said otherwise. */
const DELIMITERS: Readonly<Record<StringLanguage, readonly (readonly [open: string, close: string])[]>> = {
  python: [
    ['"""', '"""'],
    ["'''", "'''"],
    ['"', '"'],
    ["'", "'"],
    ['#', '\n'],
  ],
  javascript: [
    ['//', '\n'],
    ['/*', '*/'],
    ['`', '`'],
    ['"', '"'],
    ["'", "'"],
  ],
  powershell: [
    ['<#', '#>'],
    ["@'", "\n'@"],
    ['@"', '\n"@'],
    ['#', '\n'],
    ["'", "'"],
    ['"', '"'],
  ],
};

/**
 * Where a variable may stand for a text in a script of another language than the shell's: as a whole string, in a
 * template or in PowerShell's double quotes. Undefined where none may, and in a script that is hard to read.
 */
export function stringReplacement(masked: string, range: Span, language: StringLanguage): Replacement | undefined {
  const quoted = quotedAt(masked, range.start, language);
  if (quoted === undefined || quoted.end < range.end) return undefined;
  const { open, start, end } = quoted;
  const whole = { start, end };
  const alone = start + open.length === range.start && end - open.length === range.end;
  if (language === 'powershell') {
    // A backtick would escape the dollar sign.
    if (open !== '"' || /[`$]$/.test(masked.slice(0, range.start))) return undefined;
    return { range, write: (name) => `\${env:${name}}`, certain: true };
  }
  if (language === 'python') {
    const prefixed = /[A-Za-z0-9_]$/.test(masked.slice(0, start));
    if (!alone || prefixed || open.length > 1 || open === '#' || !/^import os\b *$/m.test(masked)) return undefined;
    if (masked.search(/^import os\b *$/m) > start) return undefined;
    return { range: whole, write: (name) => `os.environ[${open}${name}${open}]`, certain: true };
  }
  if (open === '`') {
    if (/[\\$]$/.test(masked.slice(0, range.start))) return undefined;
    return { range, write: (name) => `\${${NODE_ENVIRONMENT}.${name}}`, certain: true };
  }
  // As a property's name a string is no value.
  const key = /^\s*:/.test(masked.slice(end)) && /[{,]\s*$/.test(masked.slice(0, start));
  if (!alone || key || (open !== "'" && open !== '"')) return undefined;
  return { range: whole, write: (name) => `${NODE_ENVIRONMENT}.${name}`, certain: true };
}

/** The string or comment around an index. Without one, or after what cannot be told apart, undefined. */
function quotedAt(script: string, index: number, language: StringLanguage): Quoted | undefined {
  const delimiters = DELIMITERS[language];
  const escape = language === 'powershell' ? '`' : '\\';
  // A regular expression may hold quotes, and code in a template may hold templates: such scripts are not read.
  if (language === 'javascript' && /(?:^|[=(,:[!&|?{};\n])\s{0,9}\/(?![/*])|\$\{[^}]{0,500}[`{]/.test(script)) {
    return undefined;
  }
  let at = 0;
  while (at <= index) {
    const found = delimiters.find(([open]) => script.startsWith(open, at));
    if (found === undefined) {
      at += script[at] === escape ? 2 : 1;
      continue;
    }
    const [open, close] = found;
    const end = endOf(
      script,
      at + open.length,
      close,
      close === '\n' || close === '*/' || close === '#>' ? '' : escape,
    );
    if (end > index) return script[index] === FILLER ? { open, start: at, end } : undefined;
    at = end;
  }
  return undefined;
}

function endOf(script: string, from: number, close: string, escape: string): number {
  for (let at = from; at < script.length; at += 1) {
    if (escape !== '' && script[at] === escape) at += 1;
    else if (script.startsWith(close, at)) return at + close.length;
  }
  return script.length + 1;
}
