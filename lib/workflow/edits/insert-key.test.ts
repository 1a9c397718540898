import { describe, expect, it } from 'vitest';
import type { Definition } from '../model/model.ts';
import { createSource } from '../text/source.ts';
import { entryOf, parseYaml, type YamlEntry, type YamlMapping } from '../yaml/parse.ts';
import { applyEdits } from './edit.ts';
import { indentUnit, insertAfter, insertBefore, insertFirst, mayInsert } from './insert-key.ts';

function read(text: string): YamlMapping {
  return parseYaml(text).root as YamlMapping;
}

function definition(text: string): Definition {
  return { root: read(text), source: createSource('a.yml', text) } as unknown as Definition;
}

describe('inserting keys', () => {
  it('puts a key before the first one, at its indentation', () => {
    const text = 'with:\r\n    depth: 0\r\n';
    const edit = insertFirst(entryOf(read(text), 'with')?.value as YamlMapping, text, ['safe: true', 'more: 1']);
    expect(applyEdits(text, edit === undefined ? [] : [edit])).toBe(
      'with:\r\n    safe: true\r\n    more: 1\r\n    depth: 0\r\n',
    );
  });

  it('leaves empty lines without spaces', () => {
    const text = 'on: push\njobs: {}\n';
    const edit = insertBefore(entryOf(read(text), 'jobs') as YamlEntry, text, ['permissions:', '  a: b', '']);
    expect(applyEdits(text, edit === undefined ? [] : [edit])).toBe('on: push\npermissions:\n  a: b\n\njobs: {}\n');
  });

  it('puts a key after a line and its comment, under the key of a list item', () => {
    const text = '- uses: a/b@v1 # pinned\n  name: x';
    const list = parseYaml(text).root;
    const mapping = (list?.kind === 'sequence' ? list.items[0] : undefined) as YamlMapping;
    const edit = insertAfter(mapping, entryOf(mapping, 'uses') as YamlEntry, text, ['with:', '  a: b'], '');
    expect(applyEdits(text, edit === undefined ? [] : [edit])).toBe(
      '- uses: a/b@v1 # pinned\n  with:\n    a: b\n  name: x',
    );
  });

  it('stays inside the braces of a flow mapping', () => {
    const text = '{ uses: a/b@v1 } # c';
    const mapping = read(text);
    const edit = insertAfter(mapping, entryOf(mapping, 'uses') as YamlEntry, text, ['x: y'], 'x: y');
    expect(applyEdits(text, edit === undefined ? [] : [edit])).toBe('{ uses: a/b@v1, x: y } # c');
    expect(insertFirst(mapping, text, ['x: y'])).toBeUndefined();
  });

  it('refuses files in which one text stands in several places', () => {
    expect(mayInsert(definition('a: &x { b: 1 }\nc: *x\n'))).toBe(false);
    expect(mayInsert(definition('a: &x { b: 1 }\nc:\n  <<: *x\n'))).toBe(false);
    expect(mayInsert(definition('a: &x { b: 1 }\nc: 1\n'))).toBe(true);
  });

  it('takes the indentation from the file', () => {
    expect(indentUnit(definition('jobs:\n    build:\n        steps: []\n'))).toBe('    ');
    expect(indentUnit(definition('jobs: {}\n'))).toBe('  ');
  });
});
