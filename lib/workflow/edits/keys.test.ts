import { describe, expect, it } from 'vitest';
import { createSource, type SourceFile } from '../text/source.ts';
import { entryOf, parseYaml, type YamlMapping } from '../yaml/parse.ts';
import { applyEdits, type TextEdit } from './edit.ts';
import { indentUnit, innerIndent, insertKeys, mayInsert, removeKey, setKey } from './keys.ts';

function read(text: string): YamlMapping {
  return parseYaml(text).root as YamlMapping;
}

function below(text: string, key: string): YamlMapping {
  return entryOf(read(text), key)?.value as YamlMapping;
}

function definition(text: string): { readonly root: YamlMapping; readonly source: SourceFile } {
  return { root: read(text), source: createSource('a.yml', text) };
}

function edited(text: string, edit: TextEdit | undefined): string {
  return applyEdits(text, edit === undefined ? [] : [edit]);
}

describe('insertKeys', () => {
  it('puts keys above the first one, at its indentation', () => {
    const text = 'with:\r\n    depth: 0\r\n';
    const edit = insertKeys(below(text, 'with'), { safe: 'true', more: '1' });
    expect(edited(text, edit)).toBe('with:\r\n    safe: true\r\n    more: 1\r\n    depth: 0\r\n');
  });

  it('leaves an empty line without spaces', () => {
    const text = 'on: push\njobs: {}\n';
    const edit = insertKeys(read(text), { permissions: { a: 'b' } }, { before: 'jobs', spaced: true });
    expect(edited(text, edit)).toBe('on: push\npermissions:\n  a: b\n\njobs: {}\n');
  });

  it('puts a key below a line and its comment, under the key of a list item', () => {
    const text = '- uses: a/b@v1 # pinned\n  name: x';
    const list = parseYaml(text).root;
    const mapping = (list?.kind === 'sequence' ? list.items[0] : undefined) as YamlMapping;
    const edit = insertKeys(mapping, { with: { a: 'b' } }, { after: 'uses' });
    expect(edited(text, edit)).toBe('- uses: a/b@v1 # pinned\n  with:\n    a: b\n  name: x');
  });

  it('puts a key after one-line values only, and below values of several lines', () => {
    const text = 'a:\n    b:\n        c: 1 # one\nd: 2\n';
    expect(insertKeys(read(text), { x: 'y' }, { after: 'a' })).toBeUndefined();
    expect(edited(text, insertKeys(read(text), { x: { y: 'z' } }, { below: 'a', unit: '    ' }))).toBe(
      'a:\n    b:\n        c: 1 # one\nx:\n    y: z\nd: 2\n',
    );
  });

  it('stays inside the braces of a flow mapping and quotes what would end it', () => {
    const text = '{ uses: a/b@v1 } # c';
    expect(edited(text, insertKeys(read(text), { x: { y: 'z' } }, { after: 'uses' }))).toBe(
      '{ uses: a/b@v1, x: { y: z } } # c',
    );
    expect(edited(text, insertKeys(read(text), { x: '${{ y }}' }))).toBe('{ uses: a/b@v1, x: "${{ y }}" } # c');
    expect(edited('a: { }', insertKeys(below('a: { }', 'a'), { x: 'y' }))).toBe('a: { x: y }');
  });

  it('refuses mappings that an alias or a merge key repeats', () => {
    const text = 'a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n';
    expect(insertKeys(below(text, 'a'), { e: '1' })).toBeUndefined();
    expect(insertKeys(below(text, 'd'), { e: '1' }, { after: 'b' })).toBeUndefined();
    expect(insertKeys(read(text), { e: '1' }, { below: 'c' })).toBeUndefined();
  });
});

describe('setKey', () => {
  it('replaces a value that is there', () => {
    const text = 'a: "1" # one\nb: 2\n';
    expect(edited(text, setKey(read(text), 'a', '3'))).toBe('a: 3 # one\nb: 2\n');
    expect(edited(text, setKey(read(text), 'b', { c: '4' }, { unit: '   ' }))).toBe('a: "1" # one\nb:\n   c: 4\n');
  });

  it('inserts a key that is missing', () => {
    expect(edited('a: 1\n', setKey(read('a: 1\n'), 'b', '2', { after: 'a' }))).toBe('a: 1\nb: 2\n');
    expect(setKey(read('a: 1\n'), 'b', '2', { after: 'c' })).toBeUndefined();
  });

  it('refuses a value that an alias repeats', () => {
    expect(setKey(read('a: &x 1\nb: *x\n'), 'a', '2')).toBeUndefined();
  });
});

describe('removeKey', () => {
  it('removes the lines of a key, whatever line breaks the file has', () => {
    const text = 'a:\r\n  b: 1\r\n  c:\r\n    d: 2\r\n';
    expect(edited(text, removeKey(below(text, 'a'), 'c'))).toBe('a:\r\n  b: 1\r\n');
  });

  it('keeps the only key, a key with a comment, and a key in braces', () => {
    expect(removeKey(read('a: 1\n'), 'a')).toBeUndefined();
    expect(removeKey(read('a: 1 # why\nb: 2\n'), 'a')).toBeUndefined();
    expect(removeKey(read('{ a: 1, b: 2 }\n'), 'a')).toBeUndefined();
  });
});

it('refuses files with aliases or merge keys', () => {
  expect(mayInsert(definition('a: &x { b: 1 }\nc: *x\n'))).toBe(false);
  expect(mayInsert(definition('a: &x { b: 1 }\nc:\n  <<: *x\n'))).toBe(false);
  expect(mayInsert(definition('a: &x { b: 1 }\nc: 1\n'))).toBe(true);
});

it('takes the indentation from the file', () => {
  expect(indentUnit(definition('jobs:\n    build:\n        steps: []\n'))).toBe('    ');
  expect(indentUnit(definition('jobs: {}\n'))).toBe('  ');
  expect(innerIndent(read('a:\n   b: 1\n'), 'a')).toBe('   ');
  expect(innerIndent(read('a: { b: 1 }\n'), 'a')).toBe('  ');
});
