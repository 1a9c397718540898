import { wellKnownFunctions } from '@actions/expressions/funcs';
import { CONTEXTS, STATUS_FUNCTIONS } from './names.ts';
import type { CompareOperator, ExpressionNode } from './syntax-tree.ts';

/**
 * Reads the expressions that most workflows hold: paths, literals, operators, and calls of known functions. Undefined
 * for anything else, and for every expression with an error.
 */
export function readPlainExpression(source: string): ExpressionNode | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  try {
    return new PlainExpression(source).read();
  } catch (error) {
    if (error === GIVE_UP) return undefined;
    throw error;
  }
}

const GIVE_UP = new Error('this is not a plain expression');
const MAX_LENGTH = 2_000;
/** Stricter than the library, which counts up to 50. */
const MAX_DEPTH = 40;

const KNOWN_CONTEXTS: ReadonlySet<string> = new Set(CONTEXTS);
const ARITIES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ...STATUS_FUNCTIONS.map((name) => [name.toLowerCase(), [0, Number.MAX_SAFE_INTEGER]] as const),
  ...Object.entries(wellKnownFunctions).map(([name, { minArgs, maxArgs }]) => [name, [minArgs, maxArgs]] as const),
]);

class PlainExpression {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): ExpressionNode {
    this.#skipSpaces();
    const node = this.#expression();
    if (this.#at !== this.#source.length) throw GIVE_UP;
    return node;
  }

  #skipSpaces(): void {
    while (isSpace(this.#source[this.#at])) this.#at += 1;
  }

  #takes(token: string): boolean {
    if (!this.#source.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    this.#skipSpaces();
    return true;
  }

  #deeper(levels: number): void {
    this.#depth += levels;
    if (this.#depth > MAX_DEPTH) throw GIVE_UP;
  }

  #expression(): ExpressionNode {
    this.#deeper(3);
    const first = this.#conjunction();
    if (this.#takes('||')) {
      const args = [first];
      do args.push(this.#conjunction());
      while (this.#takes('||'));
      this.#depth -= 3;
      return { type: 'or', args };
    }
    this.#depth -= 3;
    return first;
  }

  #conjunction(): ExpressionNode {
    const first = this.#equality();
    if (!this.#takes('&&')) return first;
    const args = [first];
    do args.push(this.#equality());
    while (this.#takes('&&'));
    return { type: 'and', args };
  }

  #equality(): ExpressionNode {
    let node = this.#comparison();
    for (;;) {
      const operator = this.#takes('==') ? '==' : this.#takes('!=') ? '!=' : undefined;
      if (operator === undefined) return node;
      node = { type: 'compare', operator, args: [node, this.#comparison()] };
    }
  }

  #comparison(): ExpressionNode {
    let node = this.#unary();
    for (;;) {
      const operator = this.#order();
      if (operator === undefined) return node;
      node = { type: 'compare', operator, args: [node, this.#unary()] };
    }
  }

  #order(): CompareOperator | undefined {
    const character = this.#source[this.#at];
    if (character !== '<' && character !== '>') return undefined;
    for (const operator of ORDERS) if (this.#takes(operator)) return operator;
    return undefined;
  }

  #unary(): ExpressionNode {
    if (this.#source[this.#at] !== '!') return this.#operand();
    if (this.#source[this.#at + 1] === '=') throw GIVE_UP;
    this.#takes('!');
    this.#deeper(1);
    const arg = this.#unary();
    this.#depth -= 1;
    return { type: 'not', arg };
  }

  #operand(): ExpressionNode {
    if (this.#takes('(')) {
      const group = this.#expression();
      if (!this.#takes(')')) throw GIVE_UP;
      return this.#indexed(group);
    }
    const first = this.#source[this.#at] ?? '';
    if (first === "'") return this.#text();
    if (first >= '0' && first <= '9') return this.#number();
    const name = this.#word();
    if (name === 'true' || name === 'false') return { type: 'literal', value: name === 'true' };
    if (name === 'null') return { type: 'literal', value: null };
    if (this.#takes('(')) return this.#indexed(this.#call(name.toLowerCase()));
    const context = name.toLowerCase();
    if (!KNOWN_CONTEXTS.has(context)) throw GIVE_UP;
    return this.#indexed({ type: 'access', path: [context], indexes: [] });
  }

  #property(): string {
    const name = this.#word();
    if (name === 'true' || name === 'false' || name === 'null') throw GIVE_UP;
    return name;
  }

  #word(): string {
    WORD.lastIndex = this.#at;
    const [word] = WORD.exec(this.#source) ?? [];
    if (word === undefined) throw GIVE_UP;
    this.#at += word.length;
    this.#endWord();
    return word;
  }

  #endWord(): void {
    const next = this.#source[this.#at];
    if (next !== undefined && !isSpace(next) && !BOUNDARIES.includes(next)) throw GIVE_UP;
    this.#skipSpaces();
  }

  #number(): ExpressionNode {
    NUMBER.lastIndex = this.#at;
    const [digits] = NUMBER.exec(this.#source) ?? [];
    if (digits === undefined) throw GIVE_UP;
    this.#at += digits.length;
    if (this.#source[this.#at] === '.') throw GIVE_UP;
    this.#endWord();
    return { type: 'literal', value: Number(digits) };
  }

  #text(): ExpressionNode {
    const close = this.#source.indexOf("'", this.#at + 1);
    if (close === -1 || this.#source[close + 1] === "'") throw GIVE_UP;
    const value = this.#source.slice(this.#at + 1, close);
    this.#at = close + 1;
    this.#skipSpaces();
    return { type: 'literal', value };
  }

  #call(name: string): ExpressionNode {
    const [least, most] = ARITIES.get(name) ?? [];
    if (least === undefined || most === undefined) throw GIVE_UP;
    const args: ExpressionNode[] = [];
    if (!this.#takes(')')) {
      do args.push(this.#expression());
      while (this.#takes(','));
      if (!this.#takes(')')) throw GIVE_UP;
    }
    if (args.length < least || args.length > most || (name === 'case' && args.length % 2 === 0)) throw GIVE_UP;
    return { type: 'call', name, args };
  }

  #indexed(target: ExpressionNode): ExpressionNode {
    let node = target;
    let levels = 0;
    for (;;) {
      const character = this.#source[this.#at];
      if (character !== '.' && character !== '[') break;
      this.#deeper(1);
      levels += 1;
      if (this.#takes('.')) {
        node = withKey(node, { type: 'literal', value: this.#takes('*') ? '*' : this.#property() });
        continue;
      }
      this.#takes('[');
      const key: ExpressionNode = this.#takes('*') ? { type: 'literal', value: '*' } : this.#expression();
      if (!this.#takes(']')) throw GIVE_UP;
      node = withKey(node, key);
    }
    this.#depth -= levels;
    return node;
  }
}

const ORDERS = ['<=', '>=', '<', '>'] as const;
const WORD = /[A-Za-z_][\w-]*/y;
const NUMBER = /(?:0|[1-9]\d{0,14})(?!\d)/y;
const BOUNDARIES = '([)],.!><=&|';

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n';
}

export function withKey(target: ExpressionNode, key: ExpressionNode): ExpressionNode {
  if (target.type !== 'access') return { type: 'index', target, key };
  if (key.type === 'literal' && typeof key.value === 'string') {
    return { type: 'access', path: [...target.path, key.value.toLowerCase()], indexes: target.indexes };
  }
  const indexes = key.type === 'literal' ? target.indexes : [...target.indexes, key];
  return { type: 'access', path: [...target.path, '*'], indexes };
}
