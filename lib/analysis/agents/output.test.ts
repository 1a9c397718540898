import { describe, expect, it } from 'vitest';
import { createRepository } from '#lib/workflow/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { answersIn, answersOfVariable, answersOfWord, mayHoldAnswer } from './output.ts';

const ASK = '      - { id: ai, uses: actions/ai-inference@v2, with: { prompt: "${{ github.event.issue.body }}" } }\n';
const ASKING = `    runs-on: x\n    outputs: { text: "\${{ steps.ai.outputs.response }}" }\n    steps:\n${ASK}`;

function read(files: Readonly<Record<string, string>>) {
  const repository = createRepository(
    Object.entries(files).map(([name, text]) => ({
      path: name.includes('/') ? name : `.github/workflows/${name}`,
      text,
    })),
  );
  const workflow = repository.workflowAt('.github/workflows/a.yml');
  const step = workflow?.jobs.at(-1)?.steps.at(-1);
  if (workflow === undefined || step?.run === undefined) throw new Error('no script');
  return { repository, workflow, step, run: step.run };
}

function pasted(files: Readonly<Record<string, string>>): string[] {
  const { repository, workflow, step, run } = read(files);
  const answers = answersIn(run, step, repository).map(({ agent, source }) => `${agent.name} ${source}`);
  expect(mayHoldAnswer(workflow, repository)).toBe(answers.length > 0);
  return answers;
}

describe('a model’s answer', () => {
  const ANSWER = ['actions/ai-inference steps.ai.outputs.response'];

  it('is traced out of a called workflow through its outputs', () => {
    const called = (value: string): string =>
      `on: { workflow_call: { outputs: { text: { value: "${value}" } } } }\njobs:\n  b:\n${ASKING}`;
    const calls =
      'on: issues\njobs:\n  call: { uses: ./.github/workflows/b.yml }\n  a:\n    needs: call\n    runs-on: x\n    steps:\n      - run: echo ${{ needs.call.outputs.text }}\n';
    expect(pasted({ 'b.yml': called('${{ jobs.b.outputs.text }}'), 'a.yml': calls })).toEqual(ANSWER);
    const { repository, step, run } = read({ 'b.yml': called('done'), 'a.yml': calls });
    expect(answersIn(run, step, repository)).toEqual([]);
  });

  it('is traced into a called workflow through its inputs', () => {
    const called =
      'on: { workflow_call: { inputs: { text: { type: string } } } }\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ inputs.text }}\n';
    const calls = `on: issues\njobs:\n  ask:\n${ASKING}  call:\n    needs: ask\n    uses: ./.github/workflows/a.yml\n    with: { text: "\${{ needs.ask.outputs.text }}" }\n`;
    expect(pasted({ 'a.yml': called, 'b.yml': calls })).toEqual(ANSWER);
    expect(pasted({ 'a.yml': called })).toEqual([]);
  });

  it('is traced out of a composite action through its outputs', () => {
    const action = `outputs: { text: { value: "\${{ steps.ai.outputs.response }}" } }\nruns:\n  using: composite\n  steps:\n${ASK}`;
    const text =
      'on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - { id: act, uses: ./act }\n      - run: echo ${{ steps.act.outputs.text }}\n';
    expect(pasted({ 'act/action.yml': action, 'a.yml': text })).toEqual(ANSWER);
  });

  it('is traced through a matrix and a dispatch', () => {
    const build =
      'on: { workflow_dispatch: { inputs: { text: { type: string } } } }\njobs:\n  a:\n    strategy: { matrix: { text: ["${{ inputs.text }}"] } }\n    runs-on: x\n    steps:\n      - run: echo ${{ matrix.text }}\n';
    const send = `on: issues\njobs:\n  b:\n    runs-on: x\n    steps:\n${ASK}      - env: { TEXT: "\${{ steps.ai.outputs.response }}" }\n        run: gh workflow run a.yml -f text="$TEXT"\n`;
    expect(pasted({ 'a.yml': build, 'b.yml': send })).toEqual(ANSWER);
  });

  const inScript = (lines: readonly string[], last: string): ReturnType<typeof read> =>
    read({
      'a.yml': `on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n${lines.map((line) => `      - run: '${line}'\n`).join('')}      - run: ${last}\n`,
    });

  it('is found in a variable that an earlier step sets, case-insensitively', () => {
    const { repository, step } = inScript(['echo "VERDICT=$(claude -p x)" >> "$GITHUB_ENV"'], 'make');
    expect(answersOfVariable('VERDICT', step, repository).map(({ agent }) => agent.name)).toEqual([
      'the claude command',
    ]);
    expect(answersOfVariable('OTHER', step, repository)).toEqual([]);
  });

  it('is found in a script that reads the file written by the model’s command', () => {
    const { repository, step } = inScript(['claude -p x > plan.md'], 'eval "$(cat plan.md)" "$(cat other.md)"');
    const words = commandsOf(step).find(({ program }) => program === 'eval')?.args ?? [];
    expect(words.map((word) => answersOfWord(word, step, repository).length)).toEqual([1, 0]);
  });

  it('is found in an output that the model’s command writes', () => {
    const script =
      '|\n          echo "text<<END" >> "$GITHUB_OUTPUT"\n          claude -p x >> "$GITHUB_OUTPUT"\n          echo "END" >> "$GITHUB_OUTPUT"';
    const text = `on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - id: ai\n        run: ${script}\n      - run: echo \${{ steps.ai.outputs.text }}\n`;
    expect(pasted({ 'a.yml': text })).toEqual(['the claude command the output of the claude command']);
  });

  it('is not reported after a step that checks it against a pattern', () => {
    const check = '[[ "$V" =~ ^(yes|no)$ ]] || exit 1';
    const text = (test: string): string =>
      `on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n${ASK}      - { env: { V: "\${{ steps.ai.outputs.response }}" }, run: '${test}' }\n      - run: echo \${{ steps.ai.outputs.response }}\n`;
    const { repository, step, run } = read({ 'a.yml': text(check) });
    expect(answersIn(run, step, repository)).toEqual([]);
    expect(pasted({ 'a.yml': text('echo "$V"') })).toEqual(ANSWER);
  });
});
