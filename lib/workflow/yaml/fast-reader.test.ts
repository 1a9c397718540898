import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effort } from '../../../tests/support/effort.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';
import { readYamlEvents } from './fast-reader.ts';
import { offsetInScalar } from './parse.ts';
import { recoverYaml } from './recovering-reader.ts';
import type { YamlNode } from './tree.ts';

function described(node: YamlNode | undefined): unknown {
  if (node === undefined) return undefined;
  const { kind, span, shared, size } = node;
  const common = { kind, span: [span.start, span.end], shared, size };
  if (node.kind === 'scalar') {
    const places = Array.from({ length: node.text.length }, (_, index) => offsetInScalar(node, index));
    return { ...common, value: node.value, text: node.text, style: node.style, places };
  }
  if (node.kind === 'sequence') return { ...common, flow: node.flow, items: node.items.map(described) };
  const entries = [...node.entries].map(([name, { key, value, span: own, merged }]) => ({
    name,
    span: [own.start, own.end],
    merged,
    key: described(key),
    value: described(value),
  }));
  return { ...common, flow: node.flow, entries };
}

const PLAIN = [
  'on:\n  push:\n  workflow_dispatch:\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n      - uses: a/b@v1 # v1\n        with: { x: 1, "y": \'z\' }\n',
  'run: |\n  one\n\n    two\n  three\n\n\nnext: >-\n  folded\n  text\n\n  end\n# last\n',
  'a: |+\n  kept\n\nb: |2-\n    more\n  less\nc: | # said | why\n  x',
  "a: 'it''s'\nb: \"\\u00e9 \\x41 \\\n   joined\"\nc: plain over\n  two lines\nd: ''\n",
  'a: &x { k: v }\nb: *x\nc:\n  <<: *x\n  k2: [1, two, 0o17, 0x1F, -1.5e3, .inf, ~, null, True, no]\n',
  'a:\n- b\n-   c: d\n    e:   # nothing\n    f: g\n- - h\n  - i\n',
  'a: 1\na: 2\nb: *nope\n',
  '\uFEFFa: "😀"\r\nb: |\r\n  one\r\n  two\r\n',
  'a: [ # first\n  b, # c ]\n  d ]\ne: {}\nf: []\n',
  '---\na: b\n',
  'run: |',
  'a:   \n  b: c   \n\n\n  # deep\n# flat\nd: e',
];

describe('a file read by events', () => {
  it.each(PLAIN)('equals the tree of the recovering library: %j', (text) => {
    const read = readYamlEvents(text);
    expect(read, 'it is plain enough').toBeDefined();
    const reference = recoverYaml(text);
    expect(described(read?.root)).toEqual(described(reference.root));
    expect(read?.diagnostics.map(({ message }) => message)).toEqual(
      reference.diagnostics.map(({ message }) => message),
    );
  });

  it('never differs from the recovering library for mutated files that both accept', () => {
    const pieces = ['\n', '  ', ' ', '- ', ': ', '#', ' # c', '|', '>', '"', "'", '[', ']', '{', '}', ',', '&a ', '*a'];
    const rare = [
      '? ',
      '\t',
      '!x ',
      '---\n',
      '%',
      '@',
      '<<: ',
      '|-\n',
      '>+\n',
      '~',
      '\r\n',
      '\r',
      ' :',
      '\u0000',
      '\n   \n',
    ];
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      drop: fc.nat(4),
      piece: fc.constantFrom('', ...pieces, ...rare),
    });
    fc.assert(
      fc.property(fc.constantFrom(...PLAIN), fc.array(change, { minLength: 1, maxLength: 3 }), (plain, changes) => {
        let text = plain;
        for (const { at, drop, piece } of changes) {
          const place = Math.floor(at * text.length);
          text = text.slice(0, place) + piece + text.slice(place + drop);
        }
        const read = readYamlEvents(text);
        if (read === undefined) return;
        const reference = recoverYaml(text);
        // The reference rejects some valid YAML, such as a value after a blank line and a comment.
        if (reference.diagnostics.length > read.diagnostics.length) return;
        expect(described(read.root)).toEqual(described(reference.root));
      }),
      effort(500, 5_000),
    );
  });

  it.each([
    ['an error', 'a: [1, 2\nb: 3\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['a mapping as a key', '? { c: d }\n: e\n'],
    ['a block as a key', '? |\n  c\n: e\n'],
    ['a bad indentation', 'a:\n    b: c\n  d: e\n'],
    ['a tab before a key', 'a:\n\tb: c\n'],
    ['an open quote', 'a: "b\nc: d\n'],
    ['text after a value', 'a: "b" c\n'],
    ['a second mapping on the line', 'a: b: c\n'],
    ['an item among the keys', 'a: b\n- c\n'],
    ['an item that is not there', '- a\n-\n- b\n'],
    ['one value alone', 'key'],
    ['an indented first line', ' ---\na: b\n'],
    ['a lone carriage return', 'a: 1\rb: 2\n'],
    ['a byte order mark inside', 'a: 1\n\uFEFFb: 2\n'],
    ['more than it would keep in memory', `a: [${'1,'.repeat(60_000)}]\n`],
    ['more nesting than is read', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('is left to the recovering library with %s', (_, text) => {
    expect(readYamlEvents(text)).toBeUndefined();
  });
});

it('reads a file of the largest size', () => {
  const line = `- ${'v'.repeat(125)}\n`;
  expect(readYamlEvents(line.repeat(MAX_FILE_BYTES / line.length))).toBeDefined();
});
