import { describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type Files, OPERATORS, plain } from './mutant-operators.ts';
import { mutantsOf } from './mutant-runs.ts';

const SAMPLE: Files = {
  '.github/workflows/main.yml': `on: issues
permissions: { contents: write }
jobs:
  first:
    if: github.actor != 'x'
    runs-on: ubuntu-latest
    steps:
      - { id: a, run: echo }
      - uses: acme/deploy@v1
        with: { value: "\${{ steps.a.outputs.b }}" }
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.issue.title }}"
`,
};
const SINGLE: Files = {
  '.github/workflows/main.yml':
    'on: issues\njobs:\n  only:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "${{ github.event.issue.title }}"\n',
};

const errorsIn = (files: Files): string[] =>
  createRepository(Object.entries(files).map(([path, text]) => ({ path, text }))).files.flatMap(({ diagnostics }) =>
    diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message),
  );

describe('operators', () => {
  it.each(OPERATORS.map((operator) => [operator.id, operator] as const))(
    'writes another valid workflow with %s',
    (_, { rewrite }) => {
      const from = rewrite(SAMPLE) === undefined ? SINGLE : SAMPLE;
      const other = rewrite(from);
      expect(other).toBeDefined();
      expect(other).not.toEqual(plain(from));
      expect(errorsIn(other ?? {})).toEqual([]);
    },
  );
});

const FORMS = ['rename-jobs', 'reorder-keys', 'flow', 'event-list', 'owner-letters', 'condition', 'names'];

describe('rewritten examples', () => {
  it.each(['template-injection', 'unpinned-uses', 'untrusted-checkout-exec', 'artifact-poisoning'])(
    '%s reports what it reports in another form',
    (id) => {
      const rule = rules.find((each) => each.id === id);
      const operators = OPERATORS.filter((operator) => FORMS.includes(operator.id));
      const mutants = rule === undefined ? [] : mutantsOf(rule, operators);
      expect(mutants.length).toBeGreaterThan(20);
      expect(mutants.filter(({ lost }) => lost > 0)).toEqual([]);
    },
  );

  it('counts an example that the rule no longer reports', () => {
    const rule = rules.find(({ id }) => id === 'template-injection');
    const emptied = { id: 'emptied', what: 'no jobs', rewrite: (): Files => ({}) };
    const lost = rule === undefined ? [] : mutantsOf(rule, [emptied]).filter(({ kind }) => kind === 'bad');
    expect(lost.length).toBeGreaterThan(5);
    expect(lost.every((mutant) => mutant.lost > 0)).toBe(true);
  });

  it.each(['template-injection', 'untrusted-checkout-exec', 'ai-prompt-injection'])(
    '%s reads contexts in other letters and by an index',
    (id) => {
      const rule = rules.find((each) => each.id === id);
      const operators = OPERATORS.filter((operator) => ['letters', 'index'].includes(operator.id));
      const mutants = rule === undefined ? [] : mutantsOf(rule, operators);
      expect(mutants.length).toBeGreaterThan(5);
      expect(mutants.filter(({ kind, lost }) => kind === 'bad' && lost > 0)).toEqual([]);
    },
  );
});
