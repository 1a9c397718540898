import { expect, test } from 'vitest';
import { parseExpression } from '#lib/workflow/expressions/expression.ts';
import { reachedFields } from './reached-operands.ts';

function read(expression: string): string[] {
  const { node } = parseExpression(expression);
  if (node === undefined) throw new Error('no expression');
  return reachedFields(node).map(({ path }) => path.join('.'));
}

test.each([
  ['github.event.pull_request.number || github.event.pull_request.head.ref', 'github.event.pull_request.number'],
  ['github.event.pull_request.number || github.head_ref', 'github.event.pull_request.number'],
  ['github.event.number || github.head_ref', 'github.event.number'],
  ['github.event.issue.number || github.event.issue.title', 'github.event.issue.number'],
  [
    'github.event.pull_request.head.sha || inputs.ref || github.head_ref',
    'github.event.pull_request.head.sha inputs.ref',
  ],
  ["format('{0}', github.event.comment.id || github.event.comment.body)", 'github.event.comment.id'],
  [
    '(github.event.pull_request.id || github.sha) || github.event.pull_request.title',
    'github.event.pull_request.id github.sha',
  ],
])('%s never reads what stands behind a field that is set', (expression, expected) => {
  expect(read(expression).join(' ')).toBe(expected);
});

test.each([
  ['github.event.pull_request.body || github.event.pull_request.title'],
  ['github.event.issue.number || github.event.pull_request.title'],
  ['github.event.pull_request.number || github.event.issue.title'],
  ['github.event.number || github.event.pull_request.head.ref'],
  ['github.head_ref || github.event.pull_request.title'],
  ['github.event.pull_request.user.login || github.event.pull_request.title'],
  ['github.event.pull_request.milestone.number || github.event.pull_request.title'],
  ['github.event.pull_request.number == 1 || github.event.pull_request.title'],
])('%s may read its last operand', (expression) => {
  expect(read(expression).at(-1)).toMatch(/\.(?:title|ref)$/);
});
