import { describe, expect, it } from 'vitest';
import type { Text } from '../model/model.ts';
import { textOf } from '../parse/fields.ts';
import { parseYaml } from '../yaml/parse.ts';
import { accessedPaths, conditionOf, expressionsIn, flowingAccesses, parseExpression } from './expression.ts';

function textIn(source: string): Text {
  const text = textOf(parseYaml(source).root, 'run');
  if (text === undefined) throw new Error('no text');
  return text;
}

function flowing(source: string): string[] {
  const { node } = parseExpression(source);
  return node === undefined ? ['(invalid)'] : flowingAccesses(node).map(({ path }) => path.join('.'));
}

describe('expressionsIn', () => {
  it('finds each expression with its place in the file', () => {
    const source = "run: |\n  echo ${{ github.sha }}\n  x=${{ format('}} {0}', inputs.a) }} ${{ env.B }}\n";
    const found = expressionsIn(textIn(source));
    expect(found.map(({ span }) => source.slice(span.start, span.end))).toEqual([
      '${{ github.sha }}',
      "${{ format('}} {0}', inputs.a) }}",
      '${{ env.B }}',
    ]);
    expect(found.every(({ node }) => node !== undefined)).toBe(true);
  });

  it('ignores an unclosed expression', () => {
    expect(expressionsIn(textIn('run: echo ${{ github.sha\n'))).toEqual([]);
  });

  it('keeps the error of an invalid expression', () => {
    const [broken] = expressionsIn(textIn('run: ${{ github. }}\n'));
    expect(broken?.node).toBeUndefined();
    expect(broken?.error).toBeTruthy();
  });
});

describe('conditionOf', () => {
  it.each([
    ['if: x', 'github.ref', true],
    ['fenced', '${{ github.ref }}', true],
    ['fenced with blanks around', '  ${{ github.ref }}  ', true],
    ['text around the fence', '${{ github.ref }} && true', false],
    ['two fences', '${{ github.ref }}${{ github.sha }}', false],
  ])('reads %s', (_, value, valid) => {
    const text = textIn(`run: ${JSON.stringify(value)}\n`);
    expect(conditionOf(text).node !== undefined).toBe(valid);
  });
});

describe('flowingAccesses follows only what can become the value', () => {
  it.each([
    ['github.event.issue.title', ['github.event.issue.title']],
    ["github['event'].issue['title']", ['github.event.issue.title']],
    ['GitHub.Event.Issue.Title', ['github.event.issue.title']],
    ['github.event.commits[0].message', ['github.event.commits.*.message']],
    ['github.event.commits.*.message', ['github.event.commits.*.message']],
    ["github.event.issue.title == 'x'", []],
    ["contains(github.event.issue.title, 'x')", []],
    ["github.event.issue.title && 'x'", []],
    ["github.event.issue.title || 'x'", ['github.event.issue.title']],
    ["github.event_name == 'push' && inputs.a || inputs.b", ['inputs.a', 'inputs.b']],
    ["format('{0}', github.head_ref)", ['github.head_ref']],
    ["join(github.event.pages.*.title, ',')", ['github.event.pages.*.title']],
    ['toJSON(github.event)', ['github.event']],
    ['fromJSON(inputs.data).name', ['inputs.data']],
    ["hashFiles('x')", []],
    ['!github.head_ref', []],
  ])('%s', (source, expected) => {
    expect(flowing(source)).toEqual(expected);
  });

  it('keeps an index that is computed', () => {
    const { node } = parseExpression('secrets[inputs.name]');
    expect(node).toMatchObject({ type: 'access', path: ['secrets', '*'] });
    expect(node === undefined ? [] : accessedPaths(node)).toEqual(['secrets.*', 'inputs.name']);
  });
});
