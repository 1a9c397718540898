import { Random } from './random.ts';

export class ExpressionTexts {
  readonly #random: Random;
  readonly #real: readonly string[];

  constructor(seed: number, real: readonly string[]) {
    this.#random = new Random(seed);
    this.#real = real;
  }

  next(): string {
    const random = this.#random;
    let text = random.chance(0.25) ? random.pick(this.#real) : this.#expression(random.below(4));
    if (random.chance(0.35)) for (let left = 1 + random.below(2); left > 0; left -= 1) text = this.changed(text);
    return text.trim();
  }

  changed(text: string): string {
    const random = this.#random;
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(PIECES) + text.slice(at + (random.chance(0.5) ? 0 : random.below(4)));
  }

  #expression(depth: number): string {
    const random = this.#random;
    if (depth === 0) return this.#operand(0);
    const choice = random.below(10);
    if (choice < 4) {
      return `${this.#expression(depth - 1)}${random.pick(OPERATORS)}${this.#expression(depth - 1)}`;
    }
    if (choice === 4) return `!${random.pick(['', ' '])}${this.#expression(depth - 1)}`;
    if (choice === 5) return `(${this.#expression(depth - 1)})${random.chance(0.2) ? this.#path(depth - 1) : ''}`;
    return this.#operand(depth);
  }

  #operand(depth: number): string {
    const random = this.#random;
    if (random.chance(0.3)) return random.pick(random.chance(0.8) ? LITERALS : ODD_LITERALS);
    if (random.chance(0.3)) {
      const args = Array.from({ length: random.below(4) }, () => this.#expression(Math.max(0, depth - 1)));
      return `${random.pick(FUNCTIONS)}(${args.join(random.pick([', ', ',']))})${random.chance(0.2) ? this.#path(depth) : ''}`;
    }
    return `${random.pick(random.chance(0.9) ? CONTEXTS : ODD_CONTEXTS)}${this.#path(depth)}`;
  }

  #path(depth: number): string {
    const random = this.#random;
    let text = '';
    for (let left = random.below(5); left > 0; left -= 1) {
      const choice = random.below(8);
      if (choice < 5) text += `.${random.pick(PROPERTIES)}`;
      else if (choice === 5) text += '.*';
      else if (choice === 6) text += `[${random.pick(["'a'", "'A B'", '0', '*', "'*'", 'null', 'true'])}]`;
      else text += `[${this.#expression(Math.max(0, depth - 1))}]`;
    }
    return text;
  }
}

const OPERATORS = [' == ', ' != ', ' && ', ' || ', '&&', '||', ' < ', '>=', ' <= ', '>', '==', '!=', '\n|| '];
const CONTEXTS = ['github', 'env', 'inputs', 'steps', 'needs', 'matrix', 'secrets', 'GitHub', 'jobs', 'vars'];
const ODD_CONTEXTS = ['foo', 'NaN', 'Infinity', 'True', '_', 'constructor', 'github-x', 'a b', 'é'];
const PROPERTIES = ['a', 'event', 'head_ref', 'x-y', 'B1', '_', 'true', 'null', 'NaN', '1', 'é', 'a$', ' a'];
const FUNCTIONS = [
  ...['contains', 'format', 'fromJSON', 'toJSON', 'join', 'startsWith', 'endsWith', 'case', 'Case', 'hashFiles'],
  ...['always', 'success', 'FAILURE', 'cancelled', 'constructor', 'toString', 'foo', '__proto__', 'always '],
];
const LITERALS = ["'a'", "''", "'main'", '1', '0', '42', 'true', 'false', 'null', "'it''s'", "'}}'", "'\n'"];
const ODD_LITERALS = [
  '-1',
  '+1',
  '1.5',
  '.5',
  '0x1F',
  '1e3',
  '010',
  '1a',
  "'",
  '"a"',
  '0o7',
  '9007199254740993',
  '1.',
  "'''",
  "''''",
  '1 2',
  '',
];
const PIECES = [
  '(',
  ')',
  '[',
  ']',
  '.',
  '..',
  ',',
  "'",
  '!',
  '=',
  '==',
  '&',
  '|',
  '<',
  '>',
  '*',
  ' ',
  '\n',
  '\t',
  '\r',
  '-',
  '+',
  '0',
  'a',
  '"',
  '$',
  '{',
  '}',
  '\u00a0',
  '\\',
  '',
  "''",
  '!!',
  'true',
  '.*',
  '[*]',
  '%',
  '#',
];
