import { expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { runsHere } from './outsider-reach.ts';

const INPUTS = '{ kind: { type: string }, all: { type: boolean, default: true } }';

function mayRun(condition: string, calls: readonly string[], on = `{ workflow_call: { inputs: ${INPUTS} } }`): boolean {
  const called = `on: ${on}\njobs:\n  a:\n    runs-on: x\n    steps: [{ if: ${JSON.stringify(condition)}, run: make }]\n`;
  const jobs = calls.map(
    (given, index) => `  c${index}: { uses: ./.github/workflows/called.yml, with: { ${given} } }\n`,
  );
  const repository = createRepository([
    { path: '.github/workflows/called.yml', text: called },
    ...(jobs.length === 0 ? [] : [{ path: '.github/workflows/w.yml', text: `on: push\njobs:\n${jobs.join('')}` }]),
  ]);
  const step = repository.workflowAt('.github/workflows/called.yml')?.jobs[0]?.steps[0];
  return step !== undefined && runsHere(step, repository);
}

it.each([
  ["inputs.kind == 'all'", ['kind: one'], false],
  ["inputs.kind == 'all'", ['kind: one', 'kind: two'], false],
  ["inputs.kind == 'all'", ['all: false'], false],
  ["inputs.kind == 'all' && github.ref == 'refs/heads/main'", ['kind: one'], false],
  ['!inputs.all', ['kind: one'], false],
  ['inputs.all', ['all: false'], false],
  ["inputs.kind == 'all'", ['kind: one', 'kind: ALL'], true],
  ["inputs.kind == 'all'", ['kind: "${{ vars.KIND }}"'], true],
  ["inputs.kind == 'all' || github.ref == 'refs/heads/main'", ['kind: one'], true],
  ['inputs.all', ['kind: one'], true],
  ["inputs.kind == 'all'", [], true],
])('%s with calls that give %j may run: %s', (condition, calls, expected) => {
  expect(mayRun(condition, calls)).toBe(expected);
});

it('takes any inputs where people start the workflow by hand, and none where an event does', () => {
  const [condition, calls] = ["inputs.kind == 'all'", ['kind: one']] as const;
  expect(mayRun(condition, calls, `{ workflow_call: { inputs: ${INPUTS} }, workflow_dispatch: }`)).toBe(true);
  expect(mayRun(condition, calls, `{ workflow_call: { inputs: ${INPUTS} }, push: }`)).toBe(false);
  expect(mayRun("inputs.kind == ''", calls, `{ workflow_call: { inputs: ${INPUTS} }, push: }`)).toBe(true);
  expect(mayRun(condition, [], 'push')).toBe(false);
});
