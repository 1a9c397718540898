import { describe, expect, it } from 'vitest';
import { difference } from '../../../tests/support/difference.ts';
import { FULL, SEED } from '../../../tests/support/effort.ts';
import { corpusTexts, exampleTexts, HAS_CORPUS } from '../../../tests/support/real-workflows.ts';
import { YamlDocuments } from '../../../tests/support/yaml-documents.ts';
import { readYamlEvents } from './fast-reader.ts';
import { readPlainYaml } from './plain-reader.ts';
import { recoverYaml } from './recovering-reader.ts';

const DOCUMENTS = FULL ? 10_000_000 : 20_000;

const PLAIN = [
  'on:\n  push:\n  workflow_dispatch:\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n      - uses: a/b@v1 # v1\n        with: { x: 1, "y": \'z\' }\n',
  'run: |\n  one\n\n    two\n  three\n\n\nnext: >-\n  folded\n  text\n\n  end\n   deeper\n\n  last\n# last\n',
  'a: |+\n  kept\n\nb: |-\n    more\n  \n    again\nc: | # said | why\n  x',
  "a: 'it''s'\nb: \"\\\\ \\\" \\n\\t\"\nc: plain over\n  two lines\n\n  and a third\nd: ''\n",
  '"a": [1, two, 0o17, 0x1F, -1.5e3, .inf, ~, null, True, no, [], { k: v, "x y": [z] },]\nb: {}\n',
  'a:\n- b\n-   c: d\n    e:   # nothing\n    f: g\n- - h\n  - i\n-\n  j: k\n',
  '# first\n---\na: b\n',
  'a:   \n  b: c   \n\n\n  # deep\n# flat\nd:\n  text\n  more\ne: "é 😀"',
];

const UNUSUAL: readonly (readonly [string, string])[] = [
  ['an anchor', 'a: &x b\n'],
  ['an alias', 'a: *x\n'],
  ['a tag', 'a: !!str 1\n'],
  ['a merge key', 'a:\n  <<: b\n'],
  ['a directive', '%YAML 1.2\n---\na: 1\n'],
  ['two documents', 'a: 1\n---\nb: 2\n'],
  ['the end of a document', 'a: 1\n...\n'],
  ['flow over several lines', 'a: [1,\n  2]\n'],
  ['a pair in a flow sequence', 'a: [b: c]\n'],
  ['quotes over several lines', 'a: "b\n  c"\n'],
  ['a rare escape', 'a: "\\x41"\n'],
  ['a tab', 'a:\tb\n'],
  ['Windows line breaks', 'a: b\r\n'],
  ['a byte order mark', '\uFEFFa: b\n'],
  ['a line separator', 'a: b\u2028c\n'],
  ['half a character', 'a: \ud800\n'],
  ['a block with its own indentation', 'a: |2\n    b\n'],
  ['spaces as text of a block', 'a: |\n  b\n     \n  c\n'],
  ['an explicit key', '? a\n: b\n'],
  ['a key that is defined twice', 'a: 1\na: 2\n'],
  ['a bad indentation', 'a:\n    b: c\n  d: e\n'],
  ['a second mapping on the line', 'a: b: c\n'],
  ['an item that is not there', '- a\n-\n- b\n'],
  ['one value alone', 'key'],
  ['nothing', '# c\n'],
  ['a long key', `${'k'.repeat(1_001)}: v\n`],
  ['a long name', `uses: ${'v'.repeat(5_001)}\n`],
  ['a long item', `runs-on:\n  - ${'v'.repeat(5_001)}\n`],
  ['a long line', `run: ${'v'.repeat(50_001)}\n`],
  ['more values than any file has', '- v\n'.repeat(12_001)],
  ['deep nesting', Array.from({ length: 30 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
  ['deep flow', `a: ${'['.repeat(30)}${']'.repeat(30)}\n`],
];

function isReadAlike(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === undefined) return false;
  const found = difference(plain, readYamlEvents(text) ?? recoverYaml(text));
  if (found !== undefined) throw new Error(`${found}\nin ${JSON.stringify(text)}`);
  return true;
}

describe('the plain reader', () => {
  it.each(PLAIN)('reads %j as the libraries do', (text) => {
    expect(isReadAlike(text)).toBe(true);
  });

  it.each(UNUSUAL)('leaves %s to the libraries', (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it(`has the same tree, places and diagnostics as the libraries for ${DOCUMENTS} random documents`, {
    timeout: 0,
  }, () => {
    const real = [...exampleTexts(), ...corpusTexts()];
    const documents = new YamlDocuments(SEED, real);
    let read = 0;
    for (let left = DOCUMENTS; left > 0; left -= 1) if (isReadAlike(documents.next())) read += 1;
    expect(read / DOCUMENTS, 'share that it reads').toBeGreaterThan(0.25);
  });

  it('reads nearly all examples of rules, as the libraries do', () => {
    const examples = exampleTexts();
    expect(examples.filter(isReadAlike).length / examples.length).toBeGreaterThan(0.9);
  });

  it.skipIf(!HAS_CORPUS)(
    'reads nearly all real files, with and without a change, as the libraries do (skipped: .corpus is missing)',
    { timeout: 0 },
    () => {
      const files = corpusTexts();
      const documents = new YamlDocuments(SEED, files);
      expect(files.filter(isReadAlike).length / files.length).toBeGreaterThan(0.9);
      for (const text of files)
        for (let left = FULL ? 50 : 2; left > 0; left -= 1) isReadAlike(documents.changed(text));
    },
  );
});
