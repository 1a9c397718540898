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

/** Longest first; a backslash escapes by default. */
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
    if (open !== '"' || /[`$]/.test(masked[range.start - 1] ?? '')) return undefined;
    return { range, write: (name) => `\${env:${name}}`, certain: true };
  }
  if (language === 'python') {
    const prefixed = /[A-Za-z0-9_]/.test(masked[start - 1] ?? '');
    if (!alone || prefixed || open.length > 1 || open === '#') return undefined;
    const { importAt } = literalsIn(masked, language);
    if (importAt === -1 || importAt > start) return undefined;
    return { range: whole, write: (name) => `os.environ[${open}${name}${open}]`, certain: true };
  }
  if (open === '`') {
    if (/[\\$]/.test(masked[range.start - 1] ?? '')) return undefined;
    return { range, write: (name) => `\${${NODE_ENVIRONMENT}.${name}}`, certain: true };
  }
  const key = /^\s*:/.test(masked.slice(end)) && /[{,]/.test(masked.slice(0, start).trimEnd().at(-1) ?? '');
  if (!alone || key || (open !== "'" && open !== '"')) return undefined;
  return { range: whole, write: (name) => `${NODE_ENVIRONMENT}.${name}`, certain: true };
}

function quotedAt(script: string, index: number, language: StringLanguage): Quoted | undefined {
  if (script[index] !== FILLER) return undefined;
  const { quoted } = literalsIn(script, language);
  let low = 0;
  let high = quoted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((quoted[middle] as Quoted).end <= index) low = middle + 1;
    else high = middle;
  }
  const found = quoted[low];
  return found !== undefined && found.start <= index ? found : undefined;
}

interface Literals {
  readonly script: string;
  readonly language: StringLanguage;
  /** Empty for a script that is ambiguous. */
  readonly quoted: readonly Quoted[];
  readonly importAt: number;
}

let last: Literals | undefined;

function literalsIn(script: string, language: StringLanguage): Literals {
  if (last?.script !== script || last.language !== language) {
    const importAt = language === 'python' ? script.search(/^import os\b *$/m) : -1;
    last = { script, language, quoted: findQuoted(script, language), importAt };
  }
  return last;
}

function findQuoted(script: string, language: StringLanguage): Quoted[] {
  const delimiters = DELIMITERS[language];
  const escape = language === 'powershell' ? '`' : '\\';
  const all: Quoted[] = [];
  if (language === 'javascript' && /(?:^|[=(,:[!&|?{};\n])\s{0,9}\/(?![/*])|\$\{[^}]{0,500}[`{]/.test(script)) {
    return all;
  }
  for (let at = 0; at < script.length; ) {
    const found = delimiters.find(([open]) => script.startsWith(open, at));
    if (found === undefined) {
      at += script[at] === escape ? 2 : 1;
      continue;
    }
    const [open, close] = found;
    const noEscape = close === '\n' || close === '*/' || close === '#>';
    const end = endOf(script, at + open.length, close, noEscape ? '' : escape);
    all.push({ open, start: at, end });
    at = end;
  }
  return all;
}

function endOf(script: string, from: number, close: string, escape: string): number {
  for (let at = from; at < script.length; at += 1) {
    if (escape !== '' && script[at] === escape) at += 1;
    else if (script.startsWith(close, at)) return at + close.length;
  }
  return script.length + 1;
}
