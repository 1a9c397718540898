import { WORKFLOW_ROOT } from '@actions/workflow-parser/workflows/workflow-constants';
import { describe, expect, it } from 'vitest';
import { FULL, SEED } from '../../../tests/support/effort.ts';
import { ExpressionTexts } from '../../../tests/support/expression-texts.ts';
import { createSource } from '../text/source.ts';
import { parseYaml } from '../yaml/parse.ts';
import { isAccepted } from './fast-accept.ts';
import { readWithReader, workflowSchema } from './validate.ts';

const STEP = `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - `;

function judge(text: string): { accepted: boolean; errors: number } {
  const { root } = parseYaml(text);
  if (root?.kind !== 'mapping') throw new Error('no mapping');
  const schema = workflowSchema();
  return {
    accepted: isAccepted(root, schema, WORKFLOW_ROOT),
    errors: readWithReader(root, createSource('a.yml', text), schema, WORKFLOW_ROOT).length,
  };
}

describe('isAccepted', () => {
  it.each([
    ['a step', `${STEP}run: echo\n`],
    ['an expression', `${STEP}run: echo \${{ github.ref }} \${{ matrix.x }}\n`],
    ['expressions in a script', `${STEP}run: |\n          echo \${{ github.ref }}\n        if: \${{ success() }}\n`],
    [
      'a mode of the cache',
      'on: push\ncache-mode: write-only\njobs:\n  a:\n    runs-on: x\n    cache-mode: none\n    steps: []\n',
    ],
    [
      'functions of a place',
      `${STEP}run: echo \${{ hashFiles('x', 'y') }}\n        if: \${{ always() && !failure() }}\n`,
    ],
    ['a number where a text belongs', `${STEP}run: 5\n        env: { A: 1, B: true }\n`],
  ])('accepts %s', (_, text) => {
    expect(judge(text)).toEqual({ accepted: true, errors: 0 });
  });

  it.each([
    ['an unknown key', `${STEP}run: echo\n        ruN: x\n`],
    ['an unknown mode of the cache', 'on: push\njobs:\n  a:\n    runs-on: x\n    cache-mode: off\n    steps: []\n'],
    ['a missing key', 'on: push\njobs:\n  a:\n    steps:\n      - run: x\n'],
    ['too little to identify the kind of step', `${STEP}name: x\n`],
    ['a key that JavaScript objects inherit', `${STEP}run: x\n        constructor: x\n`],
    ['a context that is not available here', `${STEP}run: x\n    env:\n      A: \${{ steps.x.y }}\n`],
    ['a function that is not available here', `${STEP}run: x\n    name: \${{ hashFiles('x') }}\n`],
    ['a function with too few arguments', `${STEP}run: \${{ hashFiles() }}\n`],
    ['a function with too many arguments', `${STEP}run: echo\n        if: \${{ always(1) }}\n`],
    ['an expression that is not closed', `${STEP}run: \${{ github.ref\n`],
    ['a broken expression', `${STEP}run: |\n          echo \${{ a b }}\n`],
    ['a list instead of a text', `${STEP}run: [x]\n`],
    ['an expression where none is allowed', `on: \${{ github.ref }}\njobs: {}\n`],
    ['an empty text', `${STEP}uses: ''\n`],
    ['a wrong value beside a right one with the same keys', `${STEP}run: x\n      - run: [x]\n`],
    ['a key that reads like two', `${STEP}run: x\n        name: x\n      - "run\\nname": x\n`],
  ])('leaves %s to the reader, which rejects it', (_, text) => {
    const { accepted, errors } = judge(text);
    expect(errors).toBeGreaterThan(0);
    expect(accepted).toBe(false);
  });

  it('never accepts an expression that the reader rejects', () => {
    const texts = new ExpressionTexts(SEED, ['hashFiles()', "always('x')", 'success() && secrets.x', 'matrix.os']);
    let accepted = 0;
    for (let left = FULL ? 50_000 : 1_000; left > 0; left -= 1) {
      const text = `${STEP}run: ${JSON.stringify(`\${{ ${texts.next()} }}`)}\n`;
      const judged = judge(text);
      if (!judged.accepted) continue;
      accepted += 1;
      expect(judged.errors, text).toBe(0);
    }
    expect(accepted).toBeGreaterThan(100);
  });
});
