import { describe, expect, it } from 'vitest';
import type { Step } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { jobsRunning } from './jobs-running.ts';

const action = (inputs: string, ...steps: string[]): string =>
  `name: a\ndescription: b\ninputs: ${inputs}\nruns:\n  using: composite\n  steps:\n${steps.map((step) => `    - ${step}\n`).join('')}`;

function running(condition: string, calls: Readonly<Record<string, string>>, inputs = '{ all: {} }'): string[] {
  const jobs = Object.entries(calls).map(
    ([id, given]) =>
      `  ${id}:\n    runs-on: x\n    steps:\n      - { run: make }\n${given
        .split(';')
        .map((each) => `      - { uses: ./.github/actions/${each} }\n`)
        .join('')}`,
  );
  const step = `{ uses: acme/fetch@main, if: "${condition}" }`;
  const repository = createRepository([
    { path: '.github/workflows/a.yml', text: `on: push\njobs:\n${jobs.join('')}` },
    { path: '.github/actions/own/action.yml', text: action(inputs, step) },
    {
      path: '.github/actions/outer/action.yml',
      text: action(
        '{ some: { default: "false" } }',
        '{ uses: ./.github/actions/own, if: inputs.some, with: { all: "${{ inputs.some }}" } }',
      ),
    },
  ]);
  const own = repository.actionAt('.github/actions/own')?.steps[0] as Step;
  return [...jobsRunning(own, repository)].map(({ id }) => id).sort();
}

const given = (value: string): string => `own, with: { all: ${value} }`;

describe('the jobs that run a step of an action', () => {
  it.each([
    ["inputs.all == '*'", ['on']],
    ["${{ inputs.ALL == '*' }}", ['on']],
    ["inputs.all != '' && inputs.all == '*'", ['on']],
    ["contains(inputs.all, '*') && github.ref == 'refs/heads/main'", ['on']],
    ["inputs.all == '*' || github.ref == 'refs/heads/main'", ['off', 'on']],
    ["inputs.all == '*' || inputs.unheard == 'x'", ['on']],
    ["env.ALL == '*'", ['off', 'on']],
    ["inputs.all == inputs.all && github.ref == 'refs/heads/main'", ['off', 'on']],
  ])('%s: %j', (condition, expected) => {
    expect(running(condition, { on: given("'*'"), off: given('one') })).toEqual(expected);
  });

  it('takes what is computed, or given by another step of the job, for what switches it on', () => {
    expect(running("inputs.all == '*'", { a: given('"${{ steps.x.outputs.list }}"') })).toEqual(['a']);
    expect(running("inputs.all == '*'", { a: `${given('one')};${given('two')}` })).toEqual([]);
    expect(running("inputs.all == '*'", { a: `${given('one')};${given("'*'")}` })).toEqual(['a']);
  });

  it.each([
    ['{ all: {} }', []],
    ["{ all: { default: '*' } }", ['a']],
    ['{ all: { default: "${{ github.ref }}" } }', ['a']],
  ])('reads the default of an input: %s', (inputs, expected) => {
    expect(running("inputs.all == '*'", { a: 'own' }, inputs)).toEqual(expected);
  });

  it('follows actions that call it', () => {
    const calls = { on: "outer, with: { some: 'true' }", off: 'outer', direct: given("'true'") };
    expect(running("inputs.all == 'true'", calls)).toEqual(['direct', 'off', 'on']);
    expect(running('always()', { a: 'outer' })).toEqual(['a']);
  });
});
