import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../parse/workflow.ts';
import { createSource } from '../text/source.ts';
import { commandsIn, commandsOf, commandWith, type ShellCommand, shellOf } from './shell.ts';

function stepOf(script: string, extra = '') {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n${script.replace(/^/gm, '          ')}\n${extra}`;
  const step = parseWorkflow(createSource('.github/workflows/a.yml', text)).definition?.jobs[0]?.steps[0];
  if (step?.run === undefined) throw new Error('no step');
  return { step, text, run: step.run };
}

function commands(script: string): readonly ShellCommand[] {
  return commandsOf(stepOf(script).step);
}

describe('commandsOf', () => {
  it('gives every simple command with its place in the file', () => {
    const { step, text } = stepOf('if [ -f x ]; then npm ci; fi\ncurl "$(cat url)" | sh\n');
    expect(commandsOf(step).map(({ span }) => text.slice(span.start, span.end))).toEqual([
      '[ -f x ]',
      'npm ci',
      'curl "$(cat url)"',
      'cat url',
      'sh',
    ]);
  });

  it('finds commands in what a command redirects to and reads', () => {
    expect(commands('tee > "$(mktemp)"\ncat <<END\n$(date)\nEND\n').map(({ program }) => program)).toEqual([
      'tee',
      'mktemp',
      'cat',
      'date',
    ]);
  });

  it('keeps the place of a command that gets other parts', () => {
    const [command] = commands('curl a | sh\n');
    if (command === undefined) throw new Error('no command');
    const { span } = command;
    expect(commandWith(command, { args: [] })).toMatchObject({ program: 'curl', args: [], text: 'curl a', span });
  });

  it('sees through sudo and env, and past a folder', () => {
    expect(
      commands('sudo -E env A=1 /usr/bin/bash -s -- x\n').map(({ program, args }) => [program, args.length]),
    ).toEqual([['bash', 3]]);
  });

  it('names no program if it is computed', () => {
    expect(commands('$TOOL run\n${{ inputs.tool }} run\n').map(({ program }) => program)).toEqual(['', '']);
  });

  it('knows a word’s variables and expressions, also inside a substitution', () => {
    const [command] = commands('echo "a=${{ github.head_ref }} $(id $USER) ${HOME:-x}" literal\n');
    expect(
      command?.args.map(({ literal, variables, expressions }) => [
        literal,
        variables,
        expressions.map(({ source }) => source),
      ]),
    ).toEqual([
      [false, ['USER', 'HOME'], ['github.head_ref']],
      [true, [], []],
    ]);
  });

  it('joins the commands of a pipeline', () => {
    const [curl, tee, bash] = commands('curl x | tee y | bash\n');
    expect(curl?.pipeline.map(({ program }) => program)).toEqual(['curl', 'tee', 'bash']);
    expect(tee?.pipeline).toBe(bash?.pipeline);
  });

  it('returns the command that contains a substitution', () => {
    const [outer, inner] = commands('bash -c "$(curl x)"\n');
    expect(inner?.program).toBe('curl');
    expect(inner?.within).toBe(outer);
  });

  it('gives the redirects of a group to the commands in it', () => {
    const [first, second] = commands('{ echo a; echo b; } >> "$GITHUB_OUTPUT"\n');
    expect(
      [first, second].map((command) => command?.redirects.map(({ operator, target }) => operator + target?.value)),
    ).toEqual([['>>$GITHUB_OUTPUT'], ['>>$GITHUB_OUTPUT']]);
  });

  it('reads here-documents as the body of their redirect', () => {
    const [cat] = commands('cat <<EOF >> $GITHUB_ENV\nA=${{ inputs.a }}\nEOF\n');
    expect(
      cat?.redirects.map(({ operator, body }) => [operator, body?.expressions.map(({ source }) => source)]),
    ).toEqual([
      ['<<', ['inputs.a']],
      ['>>', undefined],
    ]);
  });

  it('reads what it can of a broken script', () => {
    expect(commands('echo one\nif then (\n').map(({ program }) => program)).toContain('echo');
  });

  it('reads nothing of a script beyond its bound', () => {
    expect(commandsIn(stepOf('echo a long line\n'.repeat(12_000)).run)).toEqual([]);
  });
});

describe('shellOf', () => {
  const shell = (body: string) => {
    const { definition } = parseWorkflow(createSource('.github/workflows/a.yml', `on: push\n${body}`));
    const step = definition?.jobs[0]?.steps[0];
    return step === undefined ? undefined : shellOf(step);
  };

  it.each([
    ['the step’s own', 'jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: x, shell: pwsh }]\n', 'powershell'],
    [
      'with options',
      'jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: x, shell: "bash -leo pipefail {0}" }]\n',
      'posix',
    ],
    [
      'the job’s default',
      'jobs:\n  a:\n    runs-on: ubuntu-latest\n    defaults: { run: { shell: cmd } }\n    steps: [{ run: x }]\n',
      'cmd',
    ],
    [
      'the workflow’s default',
      'defaults: { run: { shell: python } }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: x }]\n',
      'python',
    ],
    ['a Windows runner’s', 'jobs:\n  a:\n    runs-on: windows-2025\n    steps: [{ run: x }]\n', 'powershell'],
    [
      'unknown when the runner may be Windows',
      'jobs:\n  a:\n    strategy: { matrix: { os: [ubuntu-latest, windows-latest] } }\n    runs-on: ${{ matrix.os }}\n    steps: [{ run: x }]\n',
      'unknown',
    ],
  ])('%s', (_, body, expected) => {
    expect(shell(body)).toBe(expected);
  });
});
