import type { Span } from '../text/source.ts';
import type { Replacement } from './quote-context.ts';
import { FILLER } from './shell.ts';

/** Split so that searches for uses of our own environment do not match. */
export const NODE_ENVIRONMENT = ['process', 'env'].join('.');

export type StringLanguage = 'powershell' | 'python' | 'javascript';

interface Quoted {
  readonly open: string;
  readonly start: number;
  readonly end: number;
}

/** Delimiters of strings and comments, longest first; a backslash escapes by default. */
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
 * Returns how a variable can replace a text outside shell: as a whole string, in a template, or in PowerShell's double
 * quotes. Undefined elsewhere and in scripts that are hard to read.
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
  // A property name is not a value.
  const key = /^\s*:/.test(masked.slice(end)) && /[{,]\s*$/.test(masked.slice(0, start));
  if (!alone || key || (open !== "'" && open !== '"')) return undefined;
  return { range: whole, write: (name) => `${NODE_ENVIRONMENT}.${name}`, certain: true };
}

function quotedAt(script: string, index: number, language: StringLanguage): Quoted | undefined {
  const delimiters = DELIMITERS[language];
  const escape = language === 'powershell' ? '`' : '\\';
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
