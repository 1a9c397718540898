import { Random } from './random.ts';

export class YamlDocuments {
  readonly #real: readonly (readonly string[])[];
  readonly #random: Random;

  constructor(seed: number, real: readonly string[]) {
    this.#random = new Random(seed);
    this.#real = real.map((text) => text.split('\n'));
  }

  next(): string {
    const random = this.#random;
    let text = random.chance(0.25) ? this.#partOfReal() : this.#collection(0, random.below(5), random.chance(0.1));
    if (random.chance(0.05)) text = text.trimEnd();
    if (random.chance(0.05)) text = `${random.pick(['---\n', '# c\n---\n', '\n', '# c\n\n', '--- # c\n', ' '])}${text}`;
    if (random.chance(0.3)) for (let left = 1 + random.below(3); left > 0; left -= 1) text = this.changed(text);
    return text;
  }

  changed(text: string): string {
    const random = this.#random;
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(PIECES) + text.slice(at + (random.chance(0.5) ? 0 : random.below(5)));
  }

  #partOfReal(): string {
    const random = this.#random;
    const lines = random.pick(this.#real);
    const from = random.below(lines.length);
    const part = lines.slice(from, from + 1 + random.below(25));
    const indent = Math.min(...part.map((line) => (line.trim() === '' ? 99 : line.search(/\S/))));
    return `${part.map((line) => line.slice(indent)).join('\n')}\n`;
  }

  #collection(indent: number, depth: number, inSequence: boolean): string {
    const random = this.#random;
    const pad = ' '.repeat(indent);
    const isSequence = inSequence || random.chance(0.25);
    let text = '';
    for (let left = 1 + random.below(3); left > 0; left -= 1) {
      text += this.#blank(indent);
      text += isSequence ? `${pad}-${this.#item(indent, depth)}` : `${pad}${this.#key()}:${this.#value(indent, depth)}`;
    }
    return text;
  }

  #blank(indent: number): string {
    const random = this.#random;
    if (random.chance(0.85)) return '';
    return `${' '.repeat(random.pick([0, indent, indent + 1, random.below(6)]))}${random.pick(['', '# c', '#', '# a: b'])}\n`;
  }

  #key(): string {
    const random = this.#random;
    return `${random.pick(random.chance(0.95) ? KEYS : ODD_KEYS)}${random.chance(0.03) ? ' ' : ''}`;
  }

  #item(indent: number, depth: number): string {
    const random = this.#random;
    if (depth > 0 && random.chance(0.4)) {
      const spaces = random.pick([1, 1, 1, 2, 3]);
      const inner = this.#collection(indent + 1 + spaces, depth - 1, random.chance(0.1));
      return random.chance(0.15) ? `${this.#end()}${inner}` : `${' '.repeat(spaces)}${inner.trimStart()}`;
    }
    return this.#value(indent, depth, true);
  }

  #value(indent: number, depth: number, item = false): string {
    const random = this.#random;
    if (depth > 0 && !item && random.chance(0.45)) {
      const same = random.chance(0.2);
      const inner = same ? indent : indent + random.pick([1, 2, 2, 2, 4]);
      return `${this.#end()}${this.#collection(inner, depth - 1, same)}`;
    }
    if (random.chance(0.2)) return ` ${this.#block(indent)}`;
    if (random.chance(0.08)) return this.#end();
    const space = random.pick([' ', ' ', ' ', '  ', `\n${' '.repeat(indent + random.below(4))}`]);
    return `${space}${this.#inline(indent, 2)}${this.#end()}`;
  }

  #end(): string {
    return this.#random.pick(['\n', '\n', '\n', '\n', ' \n', ' # c\n', '#c\n', ' #\n', '\n\n', '\n# c\n', '\n  # c\n']);
  }

  #inline(indent: number, depth: number): string {
    const random = this.#random;
    if (depth > 0 && random.chance(0.15)) {
      const items = Array.from({ length: random.below(4) }, () => this.#flowItem(indent, depth - 1));
      const end = random.pick(['', '', ' ', ', ', ',']);
      return random.chance(0.5)
        ? `[${random.pick(['', ' '])}${items.join(', ')}${end}]`
        : `{${this.#pairs(items)}${end}}`;
    }
    if (random.chance(0.15)) {
      const more = `\n${' '.repeat(indent + random.below(4))}`;
      return `${random.pick(SCALARS)}${more}${random.pick(SCALARS)}`;
    }
    return random.pick(random.chance(0.95) ? SCALARS : ODD_SCALARS);
  }

  #flowItem(indent: number, depth: number): string {
    return this.#random.chance(0.8) ? this.#random.pick(WORDS) : this.#inline(indent, depth);
  }

  #pairs(items: readonly string[]): string {
    return items.map((item) => `${this.#key()}:${this.#random.pick([' ', ' ', ''])}${item}`).join(', ');
  }

  #block(indent: number): string {
    const random = this.#random;
    const header = random.pick(['|', '|', '>', '|-', '|+', '>-', '>+', '|2', '>1-', '| # c', '|-  ', '|x']);
    const inner = indent + random.pick([1, 2, 2, 4, 0]);
    let text = `${header}\n`;
    for (let left = random.below(5); left > 0; left -= 1) {
      const deeper = random.pick([0, 0, 0, 0, 1, 2, -1]);
      const line = random.pick(['', '', ...LINES]);
      const pad = line === '' ? random.pick([0, 0, 0, 1, inner, inner + 1]) : Math.max(0, inner + deeper);
      text += `${' '.repeat(pad)}${line}\n`;
    }
    return text;
  }
}

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'on', 'runs-on', 'if', 'steps', 'uses', 'with', 'x y', 'a:b', '1', 'true'];
const ODD_KEYS = [
  '"q"',
  "'s'",
  '"a\\"b"',
  '<<',
  '~',
  'null',
  '-x',
  '- x',
  '.',
  '...',
  '---',
  '?',
  ': ',
  '{a}',
  '[b]',
  '*a',
  '&a k',
  'a#b',
  'a #b',
  '!t',
  '@',
  '`',
  '%x',
  'é',
  '😀',
  "it's",
  '"<<"',
  'a"b',
  '+',
  '0x1F',
  '',
  '=',
  '$',
  '<',
  '|',
  '>',
];
const WORDS = [
  'a',
  'b c',
  '1',
  '1.10',
  '-1',
  '.5',
  '1e3',
  '0o17',
  '0x1F',
  '.inf',
  '-.INF',
  '.nan',
  '~',
  'null',
  'NULL',
  'nUll',
  'true',
  'False',
  'yes',
  '""',
  "''",
  '"a b"',
  "'it''s'",
  '"x\\n"',
  'v1.2',
  '+1',
  '-',
  '08',
  '1_000',
  '-0',
  'é',
  '😀',
];
const SCALARS = [
  ...WORDS,
  '${{ github.sha }}',
  'a b # c',
  'a#b',
  'http://x/y:1',
  'a:b',
  "it's",
  'a "b" c',
  '"a\\"b\\\\"',
  '"\\u00e9"',
  "'# x'",
  '"a: b"',
  'x  y',
  'a,b',
  'a]b',
  "'a' ",
  'make -j2',
  '2024-01-01',
  '-x',
  '--flag',
  '<a>',
  '(a)',
  '=1',
  '^1',
  '$x',
  '~/x',
  '/a/b',
  '0',
  '00',
  '1.',
  '.',
  '..',
  '...',
  '---',
];
const ODD_SCALARS = [
  '- x',
  'a: b',
  'a:',
  ':',
  ': a',
  ':a',
  '? a',
  '?a',
  '*a',
  '&a b',
  '!t x',
  '@a',
  '`a',
  '%a',
  '"open',
  "'open",
  '"a" b',
  "'a'b",
  '[a',
  'a]',
  '{a: b',
  '}',
  '[[a]]',
  '[a: b]',
  '[a b, {c: d}]',
  '{a: {b: c}}',
  '{a}',
  '{a:}',
  '{"a":b}',
  '[,]',
  '[a,,b]',
  '[a #b]',
  '[a# b]',
  '[-]',
  '[- a]',
  '[?]',
  '[a:]',
  '[:a]',
  '|',
  '>',
  ', a',
  '#',
  '\u00a0',
  '\u2028',
  '\u0085',
  '\ufeff',
  '\ud800',
  '"\\x41"',
  '"a\\',
  '"\\q"',
  '"a\nb"',
  "'a\n  b'",
  '[a,\n  b]',
  '\t',
  'a\tb',
  '\r',
  'a\r\n',
];
const LINES = [
  'text',
  'echo "$x"',
  '- a',
  '# c',
  'a: b',
  '---',
  '...',
  '  deep',
  '"',
  '|',
  'é',
  '${{ a }}',
  'x  ',
  'a\\',
  '\ta',
  'a\tb',
];
const PIECES = [
  '\n',
  '  ',
  ' ',
  '- ',
  ': ',
  ':',
  '#',
  ' # c',
  '|',
  '>',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  ',',
  '&a ',
  '*a',
  '? ',
  '\t',
  '!x ',
  '---\n',
  '\n---\n',
  '\n...\n',
  '%',
  '@',
  '<<: ',
  '|-\n',
  '>+\n',
  '~',
  '\r\n',
  '\r',
  ' :',
  '\n   \n',
  '',
  '\\',
  'a',
  '-',
];
