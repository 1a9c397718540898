import { describe, expect, it } from 'vitest';
import { runCli, spawnCli, temporaryFolder } from '../support/cli.ts';

const WORKFLOW = `on: issue_comment
permissions: {}
jobs:
  reply:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.comment.body }}"
      - uses: acme/notify@main
`;
const QUIET = `name: Quiet
on: push
permissions: {}
concurrency: { group: quiet, cancel-in-progress: true }
jobs:
  build:
    name: Build
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: make
`;
const CI = '.github/workflows/ci.yml';

describe('exit codes', () => {
  const folder = (): string => temporaryFolder({ [CI]: WORKFLOW });

  it.each([
    ['0 when nothing is found', () => ['scan', temporaryFolder({ [CI]: QUIET })], 0],
    ['1 when something HIGH is found', () => ['scan', folder()], 1],
    ['0 with --fail-on never', () => ['scan', folder(), '--fail-on', 'never'], 0],
    ['0 with --fail-on critical for single findings', () => ['scan', folder(), '--fail-on', 'CRITICAL'], 0],
    ['1 with --fail-on in any case', () => ['scan', folder(), '--fail-on', 'High'], 1],
    ['2 for an unknown option', () => ['scan', '--nope'], 2],
    ['2 for an unknown format', () => ['scan', '--format', 'xml'], 2],
    ['2 for an unknown ruleset', () => ['scan', '--ruleset', 'slsa-build-l9'], 2],
    ['2 for an unknown command', () => ['scna'], 2],
    ['2 for an unknown rule', () => ['explain', 'nope'], 2],
    ['2 for a baseline that is not there', () => ['scan', folder(), '--baseline', 'nope.json'], 2],
    ['3 for a path that is not there', () => ['scan', '/no/such/folder'], 3],
    ['3 for a folder without anything to scan', () => ['scan', temporaryFolder({ 'a.txt': '' })], 3],
    ['3 when nothing could be understood', () => ['scan', temporaryFolder({ [CI]: '[' })], 3],
    ['0 for help', () => ['--help'], 0],
    ['0 for the version', () => ['--version'], 0],
  ])('%s', (_, args, code) => {
    expect(spawnCli(args()).code).toBe(code);
  });

  it('an error says what to do and shows no stack', () => {
    const { stderr } = spawnCli(['explain', 'template-injektion']);
    expect(stderr).toBe('chainbreak: Unknown rule "template-injektion". Did you mean "template-injection"?\n');
  });
});

describe('the built program', () => {
  it.each(['obfuscation', 'secret-in-log'])('explain %s shows the examples of the sources', async (id) => {
    const { stdout } = spawnCli(['explain', id]);
    expect(stdout).toBe((await runCli(['explain', id])).stdout);
    expect(stdout).toContain('Flagged');
  });
});

describe('--format text', () => {
  it('uses colours only on a terminal or with FORCE_COLOR, and never with --no-color', () => {
    const folder = temporaryFolder({ [CI]: WORKFLOW });
    const colored = (args: readonly string[], env: Readonly<Record<string, string>>): boolean =>
      spawnCli(['scan', folder, ...args], { env: { NO_COLOR: '', FORCE_COLOR: '', ...env } }).stdout.includes(
        '\u001B[',
      );
    expect(colored([], {})).toBe(false);
    expect(colored([], { FORCE_COLOR: '1' })).toBe(true);
    expect(colored(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
    expect(colored([], { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  });
});
