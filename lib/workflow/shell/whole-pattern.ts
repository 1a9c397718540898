/**
 * What a text can be that matches as a whole, and has no sign of a shell: `plain` assigns nothing, `number` is a name,
 * `=` and digits, and `line` may assign any value.
 */
export type Matched = 'plain' | 'number' | 'line';

const PLAIN = /[\w.@+:,/%~#!-]/;
const CLASS_NAME = /\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]/g;
const STRUCTURE = /[?*+{}|()]/;

export function matchedBy(pattern: string): Matched | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$') || pattern.endsWith('\\$')) return undefined;
  const inner = pattern.slice(1, -1);
  let depth = 0;
  let matched: Matched = 'plain';
  for (let at = 0; at < inner.length; at += 1) {
    const sign = inner[at] as string;
    let digits = STRUCTURE.test(sign) || /[\d,]/.test(sign);
    if (sign === '=') {
      matched = matched === 'plain' && depth === 0 ? 'number' : 'line';
      continue;
    }
    if (sign === '[') {
      const end = classEnd(inner, at);
      const members = inner.slice(at + 1, Math.max(at, end));
      if (!isPlainClass(members.replace(CLASS_NAME, 'a-z'))) return undefined;
      if (members.includes('=')) matched = 'line';
      digits = members === '0-9' || members === '[:digit:]';
      at = end;
    } else if (sign === '\\') {
      at += 1;
      if (!/[dw.@+:,/-]/.test(inner[at] ?? '')) return undefined;
    } else if (sign === '.' || (sign === '|' && depth === 0) || !(PLAIN.test(sign) || STRUCTURE.test(sign))) {
      return undefined;
    }
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (matched === 'number' && !digits) matched = 'line';
  }
  return matched;
}

function classEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '[' && text[at + 1] === ':') {
      const end = text.indexOf(':]', at);
      if (end === -1) return -1;
      at = end + 1;
    } else if (text[at] === ']' && at > start + 1) return at;
  }
  return -1;
}

function isPlainClass(members: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const [sign = '', dash, last] = members.slice(at, at + 3);
    if (dash === '-' && last !== undefined) {
      if (![/[a-z]/, /[A-Z]/, /\d/].some((kind) => kind.test(sign) && kind.test(last))) return false;
      at += 2;
    } else if (!(PLAIN.test(sign) || sign === ' ' || sign === '=')) return false;
  }
  return members !== '';
}
