import { describe, expect, it } from 'vitest';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { offsetInScalar, parseYaml, valueOf, type YamlNode, type YamlScalar } from './parse.ts';

function scalarAt(text: string, ...path: (string | number)[]): YamlScalar {
  let node: YamlNode | undefined = parseYaml(text).root;
  for (const key of path) {
    node = typeof key === 'number' ? (node?.kind === 'sequence' ? node.items[key] : undefined) : valueOf(node, key);
  }
  if (node?.kind !== 'scalar') throw new Error('no scalar there');
  return node;
}

function sourceOfWord(text: string, scalar: YamlScalar, word: string): string {
  const start = offsetInScalar(scalar, scalar.text.indexOf(word));
  const end = offsetInScalar(scalar, scalar.text.indexOf(word) + word.length - 1) + 1;
  return text.slice(start, end);
}

describe('offsetInScalar leads from a value back to the file', () => {
  it.each([
    ['plain', 'run: echo WORD here\n'],
    ['plain over several lines', 'run: echo\n  more WORD\n  end\n'],
    ['single quotes', "run: 'it''s a WORD'\n"],
    ['single quotes over several lines', "run: 'it''s\n  a\n\n  WORD'\n"],
    ['double quotes', 'run: "a WORD"\n'],
    ['double quotes with escapes', 'run: "\\t\\"x\\" \\u00e9 \\x41 \\U0001F600 a WORD"\n'],
    ['double quotes with a line continuation', 'run: "one \\\n    two WORD"\n'],
    ['a literal block', 'run: |\n  first\n\n    indented\n  a WORD\n'],
    ['a literal block with an indentation indicator', 'run: |2\n    two more\n  a WORD\n'],
    ['a folded block', 'run: >-\n  one\n  two\n\n  a WORD\n'],
    ['a block with a comment in its header', 'run: | # says why\n  a WORD\n'],
    ['Windows line breaks', 'run: |\r\n  first\r\n  a WORD\r\n'],
    ['characters outside the basic plane', 'run: "😀 é 漢 WORD"\n'],
    ['a byte order mark', '\uFEFFrun: a WORD\n'],
    ['a flow mapping', 'x: { run: a WORD }\n'],
  ])('%s', (name, text) => {
    const scalar = name === 'a flow mapping' ? scalarAt(text, 'x', 'run') : scalarAt(text, 'run');
    expect(scalar.text).toContain('WORD');
    expect(sourceOfWord(text, scalar, 'WORD')).toBe('WORD');
  });
});

describe('parseYaml', () => {
  it('ends a block with its last character, not with the line breaks after it', () => {
    const text = 'if: |\n  one\n  two\n\nnext: x\n';
    const { start, end } = scalarAt(text, 'if').span;
    expect(text.slice(start, end)).toBe('|\n  one\n  two');
  });

  it('shares the node of an alias and says so', () => {
    const text = 'a: &x { k: v }\nb: *x\n';
    const { root } = parseYaml(text);
    const a = valueOf(root, 'a');
    expect(valueOf(root, 'b')).toBe(a);
    expect(a?.shared).toBe(true);
  });

  it('merges a merge key below the mapping’s own entries', () => {
    const { root } = parseYaml('base: &b { x: 1, y: 2 }\njob:\n  <<: *b\n  y: 3\n');
    const job = valueOf(root, 'job');
    expect(
      job?.kind === 'mapping' &&
        [...job.entries].map(([key, { value, merged }]) => [key, value.kind === 'scalar' && value.text, merged]),
    ).toEqual([
      ['y', '3', false],
      ['x', '1', true],
    ]);
  });

  it('keeps numbers and booleans as they are written, and `on` as a word', () => {
    const { root } = parseYaml('on: 1.10\nyes: true\nno: 010\n');
    expect(
      root?.kind === 'mapping' &&
        [...root.entries].map(([key, { value }]) => [key, value.kind === 'scalar' && value.text]),
    ).toEqual([
      ['on', '1.10'],
      ['yes', 'true'],
      ['no', '010'],
    ]);
  });

  it.each([
    ['a duplicate key', 'a: 1\na: 2\n', /already defined/, 5],
    ['an unknown alias', 'a: *nope\n', /unresolved alias|names no anchor/i, 3],
    ['an alias inside its own anchor', 'a: &x [*x]\n', /names no anchor/, 7],
    ['a mapping as a key', '? { a: b }\n: c\n', /plain name/, 2],
    ['broken flow', 'a: [1, 2\nb: 3\n', /flow/i, undefined],
  ])('reports %s with its place', (_, text, message, offset) => {
    const { diagnostics } = parseYaml(text);
    expect(diagnostics[0]?.message).toMatch(message);
    if (offset !== undefined) expect(diagnostics[0]?.span?.start).toBe(offset);
  });

  it('reads the first of several documents and says so', () => {
    const { root, diagnostics } = parseYaml('a: 1\n---\nb: 2\n');
    expect(valueOf(root, 'a')).toBeDefined();
    expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining('several YAML documents')]);
  });

  it.each([
    ['a line of a value', `run: "${'x'.repeat(50_001)}"`, 'A line has 50001 characters; at most 50000 are read.'],
    [
      'a line of a block',
      `run: |\n  a\n  ${'x'.repeat(50_001)}\n  b`,
      'A line has 50001 characters; at most 50000 are read.',
    ],
    ['an item', `runs-on: [a, "${'x'.repeat(5_001)}"]`, '"runs-on" has 5001 characters; at most 5000 are read.'],
    ['a key', `? "${'x'.repeat(1_001)}"\n: y`, 'A key has 1001 characters; at most 1000 are read.'],
    ['an image', `image: "${'x'.repeat(5_001)}"`, '"image" has 5001 characters; at most 5000 are read.'],
    ['a condition', `if: "${'x'.repeat(21_001)}"`, '"if" has 21001 characters; at most 21000 are read.'],
  ])('leaves out %s that is too long, says so, and reads the rest', (_, entry, message) => {
    const { root, diagnostics } = parseYaml(`before: 1\n${entry}\nafter: { constructor: 2 }\n`);
    expect(root?.kind === 'mapping' && [...root.entries.keys()]).toEqual(['before', 'after']);
    expect(diagnostics.map(({ severity, message }) => [severity, message])).toEqual([['error', message]]);
  });

  it.each([
    ['a line of a value', `run: "${'x'.repeat(50_000)}"`],
    ['many lines', `run: |\n${'  line\n'.repeat(20_000)}`],
    ['an item', `runs-on: [a, "${'x'.repeat(5_000)}"]`],
    ['a condition', `if: "${'x'.repeat(21_000)}"`],
  ])('reads %s that is as long as allowed', (_, entry) => {
    const { root, diagnostics } = parseYaml(`${entry}\n`);
    expect(root?.kind === 'mapping' && root.entries.size).toBe(1);
    expect(diagnostics).toEqual([]);
  });

  it('refuses merge keys before they expand', () => {
    const base = Array.from({ length: 2_000 }, (_, index) => `  k${index}: 1\n`).join('');
    const merging = `  <<: [${Array(400).fill('*b').join(',')}]\n`;
    const maps = Array.from({ length: 70 }, (_, index) => `m${index}:\n${merging}`).join('');
    const text = `base: &b\n${base}${maps}`;
    const cost = leastCpuTimeOf(800, () => {
      expect(parseYaml(text)).toEqual({
        root: undefined,
        diagnostics: [
          {
            severity: 'error',
            message: 'The file expands to more than 100000 values and is not read.',
            span: { start: 0, end: text.length },
          },
        ],
      });
    });
    // Expanded, these are 56 million entries.
    expect(cost).toBeLessThan(800);
  });
});
