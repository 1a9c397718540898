const SPACE = 0x20;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['n', '\n'],
  ['t', '\t'],
]);

export function doubleQuoted(text: string, start: number): { value: string; end: number } | undefined {
  const close = text.indexOf('"', start + 1);
  if (close === -1) return undefined;
  const body = text.slice(start + 1, close);
  if (body.includes('\n')) return undefined;
  if (!body.includes('\\')) return { value: body, end: close + 1 };
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1 };
    if (character === '\n') return undefined;
    if (character === '\\') {
      at += 1;
      const escaped = ESCAPES.get(text.charAt(at));
      if (escaped === undefined) return undefined;
      value += escaped;
    } else {
      value += character;
    }
  }
  return undefined;
}

export function foldedBreaks(text: string, from: number, to: number): string {
  const breaks = text.slice(from, to).split('\n').length - 1;
  return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
}

export interface Block {
  readonly first: number;
  readonly end: number;
  readonly after: number;
  readonly indent: number;
  readonly folded: boolean;
  readonly chomping: string;
}

export function blockText(text: string, { first, end, after, indent, folded, chomping }: Block): string {
  const pad = ' '.repeat(indent);
  const region = text.slice(first, end);
  const body = folded
    ? foldedText(region, indent)
    : /\n +\n/.test(region)
      ? region
          .split('\n')
          .map((line) => line.slice(indent))
          .join('\n')
      : `\n${region}`.replaceAll(`\n${pad}`, '\n').slice(1);
  if (chomping === '-') return body;
  if (chomping !== '+') return `${body}\n`;
  return body + '\n'.repeat(text.slice(end, after).split('\n').length - 1);
}

function foldedText(region: string, indent: number): string {
  let result = '';
  let blank = 0;
  let started = false;
  let deeper = false;
  for (const line of region.split('\n')) {
    if (line.length <= indent) {
      blank += 1;
      continue;
    }
    const isDeeper = line.charCodeAt(indent) === SPACE;
    if (isDeeper) result += '\n'.repeat(started ? blank + 1 : blank);
    else if (deeper) result += '\n'.repeat(blank + 1);
    else if (blank > 0) result += '\n'.repeat(blank);
    else if (started) result += ' ';
    result += line.slice(indent);
    deeper = isDeeper;
    started = true;
    blank = 0;
  }
  return result;
}

export function startsPlain(code: number): boolean {
  return !NEVER_FIRST.includes(String.fromCharCode(code));
}

export const ENDS_FLOW_KEY = ' \n,[]{}';
const NEVER_FIRST = '\n #&*!|>\'"%@`,[]{}?:';

export function withoutSpaces(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === SPACE) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
