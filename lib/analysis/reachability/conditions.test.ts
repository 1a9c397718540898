import { expect, it } from 'vitest';
import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { createRepository } from '#lib/workflow/repository.ts';

function isOneExpression(yaml: string): boolean {
  const text = `on: push\njobs:\n  a:\n    if: ${yaml}\n    runs-on: x\n`;
  const [workflow] = createRepository([{ path: '.github/workflows/w.yml', text }]).workflows;
  const condition = workflow?.jobs[0]?.condition;
  return condition !== undefined && conditionOf(condition).node !== undefined;
}

it.each([
  ['${{ github.actor }}', true],
  ["' ${{ github.actor }} '", true],
  ['github.actor', true],
  ['|\n      github.actor', true],
  ['|-\n      ${{ github.actor }}', true],
  ['>-\n      ${{ github.actor }}', true],
  ['|\n      ${{ github.actor }}', false],
  ['>\n      ${{ github.actor }}', false],
  ['${{ github.actor }} && ${{ github.ref }}', false],
  ["${{ github.actor }} == 'x'", false],
])('reads the condition %j as one expression: %s', (yaml, expected) => {
  expect(isOneExpression(yaml)).toBe(expected);
});
